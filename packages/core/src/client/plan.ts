import { AccessError } from "../access-error.ts";
import type { Action, Plan, Step, Endpoint } from "../scheme.ts";
import { type InternetUrl, isHostNumber, type Url } from "../syntax/index.ts";

interface StepInit {
  readonly when?: string | undefined;
  readonly accept?: readonly string[] | undefined;
  readonly octets?: Uint8Array | undefined;
  readonly target?: Endpoint | undefined;
  /** Keeps the octets out of JSON. */
  readonly secret?: boolean | undefined;
}

/** A step; its octets are given only to who asks for them by name, since they may hold a password. */
class PlanStep implements Step {
  readonly action: Action;
  readonly spec: string;
  readonly description: string;
  declare readonly onReply?: string | undefined;
  declare readonly expectReplies?: readonly string[] | undefined;
  declare readonly target?: Endpoint | undefined;
  readonly #octets: Uint8Array | undefined;
  readonly #secret: boolean;

  constructor(action: Action, section: string, text: string, init: StepInit = {}) {
    this.action = action;
    this.spec = section;
    this.description = text;
    if (init.when !== undefined) this.onReply = init.when;
    if (init.accept !== undefined) this.expectReplies = Object.freeze([...init.accept]);
    if (init.target !== undefined) this.target = init.target;
    this.#octets = init.octets;
    this.#secret = init.secret === true;
    Object.freeze(this);
  }

  get bytes(): Uint8Array | undefined {
    return this.#octets;
  }

  toJSON(): Record<string, unknown> {
    const octets = this.#octets && !this.#secret ? latin1(this.#octets) : undefined;
    return { action: this.action, section: this.spec, text: this.description, when: this.onReply, octets };
  }
}

/** Octets as a string with one character for each. */
function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString("latin1");
}

/** A plan of these steps, with what only its scheme has in it. */
export function makePlan<U extends Url, S extends Step, X extends object = object>(
  url: U,
  steps: readonly S[],
  own?: X,
): Plan<U, S> & X {
  const plan = { url, steps: Object.freeze([...steps]) };
  return Object.freeze(own ? Object.assign(plan, own) : plan) as Plan<U, S> & X;
}

/** The steps that open a connection to the URL's host: `resolve` unless the host is an address, and `connect`. RFC 1738 §3.1. */
export function connectSteps(url: InternetUrl): Step[] {
  if (url.host === "") throw new AccessError("unsupported", "the URL names no host");
  const target = { host: url.effectiveHost, port: url.effectivePort };
  const connect = new PlanStep("connect", "3.1", `${url.host} port ${target.port}`, { target });
  if (isHostNumber(target.host) || target.host.includes(":")) return [connect];
  return [new PlanStep("resolve", "3.1", target.host, { target }), connect];
}

/** Starts TLS with the host of the URL. */
export function tlsStep(url: InternetUrl, section: string, when?: string): Step {
  const target = { host: url.effectiveHost, port: url.effectivePort };
  return new PlanStep("secure", section, `TLS with ${target.host}`, { target, when });
}

/** Sends octets, which the protocol's encoder has made. */
export function sendStep(
  octets: Uint8Array | undefined,
  section: string,
  text: string,
  init: { when?: string | undefined; secret?: boolean | undefined } = {},
): Step {
  return new PlanStep("send", section, text, { octets, ...init });
}

/** Waits for a reply that begins with one of `accept`. */
export function expectStep(accept: readonly string[], section: string, text: string, when?: string): Step {
  return new PlanStep("expect", section, text, { accept, when });
}

/**
 * Any other step: what is transferred, opened, referred to or closed; or a further connection, to a port that only the server's
 * reply tells.
 */
export function step(
  action: Exclude<Action, "resolve" | "secure" | "send" | "expect">,
  section: string,
  text: string,
  when?: string,
): Step {
  return new PlanStep(action, section, text, { when });
}

/** Arguments that are secrets. */
const SECRETS: ReadonlySet<string> = new Set(["password", "account"]);

/**
 * Refuses what must never be part of an argument of a line protocol: NUL, CR and LF always, other control octets unless
 * allowed; without options, nobody can allow them. RFC 1738 §6: "that these are not unencoded before transmission". Returns the
 * octets.
 */
export function rejectControlBytes(
  octets: Uint8Array,
  what: string,
  options?: { allowControlCharacters?: boolean | undefined },
): Uint8Array {
  for (const octet of octets) {
    const delimiter = octet === 0 || octet === 0x0a || octet === 0x0d;
    if (delimiter || ((octet < 0x20 || octet === 0x7f) && options?.allowControlCharacters !== true)) {
      // The value of the byte would reveal a part of the secret.
      const name = SECRETS.has(what) ? "" : ` %${octet.toString(16).toUpperCase().padStart(2, "0")}`;
      const advice =
        delimiter || !options
          ? "nothing with it can be sent in this protocol"
          : "the option allowControlCharacters lets it through";
      throw new AccessError(
        "refused-characters",
        `the ${what} holds ${name === "" ? "a" : "the"} control octet${name}`,
        { advice },
      );
    }
  }
  return octets;
}
