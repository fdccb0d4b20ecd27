import { AccessError } from "../errors/access-error.ts";
import type { Action, Plan, Step, Endpoint } from "./scheme.ts";
import { type InternetUrl, isHostNumber, type Url } from "../syntax/index.ts";

interface StepInit {
  readonly onReply?: string | undefined;
  readonly expectReplies?: readonly string[] | undefined;
  readonly bytes?: Uint8Array | undefined;
  readonly target?: Endpoint | undefined;
  /** Keeps the bytes out of JSON. */
  readonly secret?: boolean | undefined;
}

/** A step; its bytes are given only to who asks for them by name, since they may hold a password. */
class PlanStep implements Step {
  readonly action: Action;
  readonly spec: string;
  readonly description: string;
  declare readonly onReply?: string | undefined;
  declare readonly expectReplies?: readonly string[] | undefined;
  declare readonly target?: Endpoint | undefined;
  readonly #bytes: Uint8Array | undefined;
  readonly #secret: boolean;

  constructor(action: Action, section: string, text: string, init: StepInit = {}) {
    this.action = action;
    this.spec = section;
    this.description = text;
    if (init.onReply !== undefined) this.onReply = init.onReply;
    if (init.expectReplies !== undefined) this.expectReplies = Object.freeze([...init.expectReplies]);
    if (init.target !== undefined) this.target = init.target;
    this.#bytes = init.bytes;
    this.#secret = init.secret === true;
    Object.freeze(this);
  }

  get bytes(): Uint8Array | undefined {
    return this.#bytes;
  }

  toJSON(): Record<string, unknown> {
    const bytes = this.#bytes && !this.#secret ? latin1(this.#bytes) : undefined;
    return {
      action: this.action,
      spec: this.spec,
      description: this.description,
      onReply: this.onReply,
      bytes,
    };
  }
}

/** Bytes as a string with one character for each. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
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
export function tlsStep(url: InternetUrl, section: string, onReply?: string): Step {
  const target = { host: url.effectiveHost, port: url.effectivePort };
  return new PlanStep("tls", section, `TLS with ${target.host}`, { target, onReply });
}

/** Sends bytes, which the protocol's encoder has made. */
export function sendStep(
  bytes: Uint8Array | undefined,
  section: string,
  text: string,
  init: { onReply?: string | undefined; secret?: boolean | undefined } = {},
): Step {
  return new PlanStep("send", section, text, { bytes, ...init });
}

/** Waits for a reply that begins with one of `accept`. */
export function expectStep(
  expectReplies: readonly string[],
  section: string,
  text: string,
  onReply?: string,
): Step {
  return new PlanStep("expect", section, text, { expectReplies, onReply });
}

/**
 * Any other step: what is transferred, opened, referred to or closed; or a further connection, to a port that only the server's
 * reply tells.
 */
export function step(
  action: Exclude<Action, "resolve" | "tls" | "send" | "expect">,
  section: string,
  text: string,
  onReply?: string,
): Step {
  return new PlanStep(action, section, text, { onReply });
}

/** Arguments that are secrets. */
const SECRETS: ReadonlySet<string> = new Set(["password", "account"]);

/**
 * Refuses what must never be part of an argument of a line protocol: NUL, CR and LF always, other control bytes unless
 * allowed; without options, nobody can allow them. RFC 1738 §6: "that these are not unencoded before transmission". Returns the
 * bytes.
 */
export function rejectControlBytes(
  bytes: Uint8Array,
  what: string,
  options?: { allowControlCharacters?: boolean | undefined },
): Uint8Array {
  for (const byte of bytes) {
    const delimiter = byte === 0 || byte === 0x0a || byte === 0x0d;
    if (delimiter || ((byte < 0x20 || byte === 0x7f) && options?.allowControlCharacters !== true)) {
      // The value of the byte would reveal a part of the secret.
      const name = SECRETS.has(what) ? "" : ` %${byte.toString(16).toUpperCase().padStart(2, "0")}`;
      const advice =
        delimiter || !options
          ? "nothing with it can be sent in this protocol"
          : "the option allowControlCharacters lets it through";
      throw new AccessError(
        "refused-characters",
        `the ${what} holds ${name === "" ? "a" : "the"} control byte${name}`,
        { advice },
      );
    }
  }
  return bytes;
}
