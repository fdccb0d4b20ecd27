// The steps of an operation as data, and the functions that create them.
import { inspect } from "node:util";
import type { CacheMode } from "../cache/cache-store.ts";
import { AccessError } from "../errors/access-error.ts";
import { bytesToLatin1 } from "../text/decode-bytes.ts";
import { type InternetUrl, isDottedDecimalAddress, type Url } from "../syntax/index.ts";

/** The action of a plan step, such as `connect` or `send`. */
export type StepActionName =
  "resolve" | "connect" | "tls" | "expect" | "send" | "transfer" | "close" | "open" | "redirect" | "modify";

/**
 * A step of the plan of a request, such as a connection or a command. The plan, with all its steps, is created before
 * the client opens a socket.
 */
export interface Step {
  readonly action: StepActionName;
  /** The section of the specification that requires the step: `"3.2.2"` of RFC 1738, or `"RFC 959 4.1.1"`. */
  readonly spec: string;
  /** A description of the step for users, with secrets masked. */
  readonly description: string;
  /**
   * The bytes that a `send` step writes, with their line end. A `send` step has no `bytes` when the credentials
   * callback provides what is sent.
   */
  readonly bytes?: Uint8Array | undefined;
  /** The name of the command that `send` writes, as in `"RETR"`. */
  readonly command?: string | undefined;
  /**
   * The beginning of the reply after which the step is executed, as in `"331"` or `"5"`. Default: the step is always
   * executed.
   */
  readonly onReply?: string | undefined;
  /** The beginnings of the replies after which `expect` continues the plan, as in `["2"]` or `["150", "125"]`. */
  readonly expectReplies?: readonly string[] | undefined;
  /** The host and port of a `resolve`, `connect` or `tls` step. */
  readonly target?: Endpoint | undefined;
}

/** The host and port of a server. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /**
   * The protocol on the port: one of the scheme's `additionalProtocolPorts`. Default: the protocol of the URL's scheme.
   */
  readonly applicationProtocol?: string | undefined;
}

/**
 * The steps of one operation, created without opening a socket or looking up a name. The access method executes exactly
 * the steps of the plan. The function {@link createPlan} adds the named fields of a scheme's own plan type.
 */
export interface Plan<U extends Url = Url, S extends Step = Step> {
  readonly url: U;
  readonly steps: readonly S[];
}

/** The options that the method `plan` of every scheme receives. */
export interface PlanOptions {
  /** The user's e-mail address, the conventional password of anonymous FTP (RFC 1738 §3.2.1). */
  readonly email?: string | undefined;
  /** Allows control bytes other than NUL, CR and LF in the bytes that are sent. Default false. */
  readonly allowControlCharacters?: boolean | undefined;
  /**
   * The requested part of the content. Default: the whole content. The client throws `unsupported` for a scheme whose
   * `supportedOptions` lack `"range"`.
   */
  readonly range?: Range | undefined;
  /**
   * Requests the bytes of the server without a conversion of line ends, unless the URL or an option states a transfer
   * type. By default, the scheme may choose a transfer that converts line ends, such as type A of FTP. For
   * `client.fetch`, the default of `exactBytes` is true. RFC 1738 §3.2.3.
   */
  readonly exactBytes?: boolean | undefined;
  /**
   * Requests the content only if it has changed since this date. Unchanged content has the result kind `not-modified`.
   * Schemes whose servers state no dates ignore this option and return the content.
   */
  readonly ifModifiedSince?: Date | undefined;
  /**
   * Requests the content only if its entity tag differs, as in `"\"abc\""`. Unchanged content has the result kind
   * `not-modified`. Only the http scheme has entity tags.
   */
  readonly ifNoneMatch?: string | undefined;
  /**
   * The use of the client's cache. With `no-store`, `reload` and `no-cache`, an http request also has a `cache-control`
   * header for other caches. Default `"default"`.
   */
  readonly cache?: CacheMode | undefined;
  /**
   * Reconnects and continues when a connection breaks during the download of a body. Default: the body fails with
   * `incomplete`.
   */
  readonly resume?: BodyResumeOptions | undefined;
}

/** A part of the content, as positions in bytes, counted from 0. */
export interface Range {
  readonly start: number;
  /** The position of the first byte after the requested part of the content. Default: the end of the content. */
  readonly endExclusive?: number | undefined;
}

/** The rules for continuing an interrupted body on a new connection. */
export interface BodyResumeOptions {
  /**
   * The maximum number of retries of an interrupted body without progress. After 64 KiB of further body, the client
   * counts the retries from 0 again. Default 3.
   */
  readonly maxRetries?: number | undefined;
  /**
   * The wait before the first retry of an interrupted body, in milliseconds. Each further wait is twice as long as the
   * previous wait, and at most 60 000. Default 500.
   */
  readonly backoffMs?: number | undefined;
}

/** The bytes that a step sends, or a function that encodes them on first use. */
export type LazyStepBytes = Uint8Array | (() => Uint8Array);

interface StepInit {
  readonly command?: string | undefined;
  readonly onReply?: string | undefined;
  readonly expectReplies?: readonly string[] | undefined;
  readonly bytes?: LazyStepBytes | undefined;
  readonly target?: Endpoint | undefined;
  /** True to omit the bytes of the step from JSON. */
  readonly secret?: boolean | undefined;
}

/** A plan step. The bytes of the step may contain a password and are therefore not enumerable. */
class PlanStep implements Step {
  readonly action: StepActionName;
  readonly spec: string;
  readonly description: string;
  declare readonly command?: string | undefined;
  declare readonly onReply?: string | undefined;
  declare readonly expectReplies?: readonly string[] | undefined;
  declare readonly target?: Endpoint | undefined;
  #bytes: LazyStepBytes | undefined;
  readonly #secret: boolean;

  constructor(action: StepActionName, spec: string, description: string, init: StepInit = {}) {
    this.action = action;
    this.spec = spec;
    this.description = description;
    if (init.command !== undefined) this.command = init.command;
    if (init.onReply !== undefined) this.onReply = init.onReply;
    if (init.expectReplies !== undefined) this.expectReplies = Object.freeze([...init.expectReplies]);
    if (init.target !== undefined) this.target = init.target;
    this.#bytes = init.bytes;
    this.#secret = init.secret === true;
    Object.freeze(this);
  }

  get bytes(): Uint8Array | undefined {
    if (typeof this.#bytes === "function") this.#bytes = this.#bytes();
    return this.#bytes;
  }

  toJSON(): Record<string, unknown> {
    const bytes = this.bytes && !this.#secret ? bytesToLatin1(this.bytes) : undefined;
    return {
      action: this.action,
      spec: this.spec,
      description: this.description,
      onReply: this.onReply,
      bytes,
    };
  }
}

/**
 * A plan with the named fields of a scheme. A field may contain a step, and JSON and inspection show each step once.
 */
class SchemePlan<U extends Url, S extends Step> implements Plan<U, S> {
  readonly url: U;
  readonly steps: readonly S[];

  constructor(url: U, steps: readonly (S | undefined)[]) {
    this.url = url;
    this.steps = Object.freeze(steps.filter((step) => step !== undefined));
  }

  toJSON(): Plan<U, S> {
    return { url: this.url, steps: this.steps };
  }

  [inspect.custom](): Plan<U, S> {
    return this.toJSON();
  }
}

/**
 * Creates a plan from steps. Omits the steps that are `undefined`. `fields` are the named fields of the scheme's own
 * plan type. JSON and inspection of the plan omit `fields`.
 */
export function createPlan<U extends Url, S extends Step, X extends object = object>(
  url: U,
  steps: readonly (S | undefined)[],
  fields?: X,
): Plan<U, S> & X {
  return Object.freeze(Object.assign(new SchemePlan(url, steps), fields as X));
}

/**
 * Returns the steps that connect to the URL's host: `resolve` and `connect`. An IP address needs no `resolve`. RFC 1738
 * §3.1.
 */
export function createResolveAndConnectSteps(url: InternetUrl): Step[] {
  if (url.host === "") throw new AccessError("unsupported", "the URL has no host");
  const target = { host: url.effectiveHost, port: url.effectivePort };
  const connect = new PlanStep("connect", "3.1", `${url.host} port ${target.port}`, { target });
  if (isDottedDecimalAddress(target.host) || target.host.includes(":")) return [connect];
  return [new PlanStep("resolve", "3.1", target.host, { target }), connect];
}

/** Returns the step that starts TLS with the host of the URL. */
export function createTlsStep(url: InternetUrl, spec: string, onReply?: string): Step {
  const target = { host: url.effectiveHost, port: url.effectivePort };
  return new PlanStep("tls", spec, `TLS with ${target.host}`, { target, onReply });
}

/** Returns the `send` step of a plan, which sends the given bytes to the server. */
export function createSendStep(
  bytes: LazyStepBytes | undefined,
  spec: string,
  description: string,
  init: { command?: string | undefined; onReply?: string | undefined; secret?: boolean | undefined } = {},
): Step {
  return new PlanStep("send", spec, description, { bytes, ...init });
}

/** Returns the step that waits for a reply that starts with one of `expectReplies`. */
export function createExpectReplyStep(
  expectReplies: readonly string[],
  spec: string,
  description: string,
  onReply?: string,
): Step {
  return new PlanStep("expect", spec, description, { expectReplies, onReply });
}

/**
 * Returns a step with an action other than `resolve`, `tls`, `send` and `expect`. A `connect` step without a target
 * opens a data connection, to a port that a reply of the server states.
 */
export function createStep(
  action: Exclude<StepActionName, "resolve" | "tls" | "send" | "expect">,
  spec: string,
  description: string,
  onReply?: string,
): Step {
  return new PlanStep(action, spec, description, { onReply });
}

/** The argument of a protocol command, such as NNTP's `ARTICLE`, as error messages name it. */
export interface ArgumentInErrors {
  readonly name: string;
  /** True when messages must not contain bytes of the argument. Default false. */
  readonly isSecret?: boolean | undefined;
}

/**
 * Throws `refused-characters` for NUL, CR and LF in an argument of a line protocol. Unless `allowControlCharacters` is
 * set, control bytes other than NUL, CR and LF are rejected too. Returns the bytes. RFC 1738 §6 asks for care with
 * encoded delimiters, "that these are not unencoded before transmission".
 */
export function rejectControlBytes(
  bytes: Uint8Array,
  argument: string | ArgumentInErrors,
  options?: { allowControlCharacters?: boolean | undefined },
): Uint8Array {
  const { name, isSecret = false }: ArgumentInErrors =
    typeof argument === "string" ? { name: argument } : argument;
  for (const byte of bytes) {
    const isDelimiter = byte === 0 || byte === 0x0a || byte === 0x0d;
    const isControl = byte < 0x20 || byte === 0x7f;
    if (!isDelimiter && (!isControl || options?.allowControlCharacters === true)) continue;
    const hex = byte.toString(16).toUpperCase().padStart(2, "0");
    const found = isSecret ? "a control byte" : `the control byte %${hex}`;
    const advice =
      isDelimiter || !options
        ? "the protocol cannot send a value with this character"
        : "the option allowControlCharacters allows it";
    throw new AccessError("refused-characters", `the ${name} contains ${found}`, { advice });
  }
  return bytes;
}

/** True when a plan connects to a server or sends bytes. */
export function planUsesNetwork({ steps }: Plan): boolean {
  return steps.some(({ target, bytes }) => target !== undefined || bytes !== undefined);
}

/** True when two plans have the same actions, bytes, targets and conditions. Descriptions may differ. */
export function isSamePlan(one: Plan, other: Plan): boolean {
  return (
    one.steps.length === other.steps.length &&
    one.steps.every(
      (step, index) => createStepFingerprint(step) === createStepFingerprint(other.steps[index]),
    )
  );
}

function createStepFingerprint(step: Step | undefined): string {
  const { action, onReply, expectReplies, target, bytes } = step ?? {};
  return JSON.stringify([action, onReply, expectReplies, target?.host, target?.port, bytes && [...bytes]]);
}
