import type { Hash } from "node:crypto";
import { AccessError, type ErrorContext } from "../errors/access-error.ts";
import type { Gate, Resolver } from "../network/connector.ts";
import { limitError, type Limits } from "../policy/limits.ts";
import type { Policy } from "../policy/policy.ts";
import { type Lead, type Place, placeOf, placeOfBoth, policyFor } from "../policy/policy-for.ts";
import type { Redactor } from "../errors/redact.ts";
import type { Socket } from "../network/socket.ts";
import type {
  Hop as Via,
  OperationResult,
  Plan,
  Resource,
  Scheme,
  Step,
  TraceMessage,
} from "../scheme/scheme.ts";
import { type InternetUrl, MASK, type Url } from "../syntax/index.ts";
import { classify } from "../errors/to-access-error.ts";
import { inUse, noneFree, type Waited } from "./connections/open-connection.ts";
import { Context } from "./request-context.ts";
import type { DereferenceOptions } from "./options.ts";
import type { ConnectionLimiter } from "./connections/connection-limiter.ts";
import { isHeard, tellTranscript } from "./emit-trace.ts";
import { checkMediaType } from "../resources/response.ts";
import { Scope } from "./lifetime/lifetime.ts";
import type { Scopes } from "./lifetime/active-requests.ts";
import type { Shared } from "./connections/connection-store.ts";
import type { Work } from "./operations.ts";

/** What all hops of one call have in common. */
export interface Call {
  readonly work: Work;
  readonly options: DereferenceOptions;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly resolver: Resolver;
  readonly redactor: Redactor;
  readonly beganMs: number;
  /** Where every hop has its lifetime, up to the end of the client. */
  readonly scopes: Scopes;
  readonly shared: Shared;
  /** The connections of the client, by host and port. */
  readonly connections: ConnectionLimiter;
  /** Reads a URL as the client does. */
  parse(text: string): Url;
  /** Goes on to another URL from this hop, with the same work. */
  follow(url: Url, from: Hop, reason: string): Promise<OperationResult>;
}

/** How a hop was come by. */
export interface Way {
  /** The hop that led here; absent where the caller's own choice did, as of a gateway. */
  readonly from: Hop | undefined;
  /** The URLs that led here, the hop's own among them. */
  readonly redirectChain: readonly Via[];
}

/** One hop of a call: one URL, its plan, and everything that has to end with it. */
export class Hop {
  readonly call: Call;
  readonly url: Url;
  readonly redirectChain: readonly Via[];
  readonly scope: Scope;
  readonly scheme: Scheme;
  /** What led here. */
  readonly lead: Lead;
  /** The step of the plan that is being performed. */
  step: Step | undefined;
  /** The connection that this hop waits for. */
  waited: Waited | undefined;
  /** The URL in messages, its password masked. */
  readonly #shownUrl: string;
  /** Whether a server that knows a secret has named the URL. */
  readonly #named: boolean;
  #gate: Gate | undefined;
  /** Where the servers are that this hop has reached. */
  #reached: Place | undefined;

  constructor(
    call: Call,
    scheme: Scheme,
    url: Url,
    { from, redirectChain }: Way = { from: undefined, redirectChain: [] },
  ) {
    this.call = call;
    this.url = url;
    this.scheme = scheme;
    this.redirectChain = redirectChain;
    const { policy } = call;
    this.lead = from ? { policy, ledBy: "server", from: from.#reached } : { policy, ledBy: "caller" };
    const { signal } = call.options;
    this.scope = new Scope(call.scopes, signal && { signal, reason: () => this.#givenUp(signal) });
    const { redactor } = call;
    this.#named = from !== undefined && redactor.active;
    this.#shownUrl = this.#named ? withoutPath(url) : String(url);
    // The URL holds a password, or whatever else its scheme masks.
    if (String(url) !== url.href) redactor.activate();
  }

  /** Makes the plan and performs it. Whatever fails is wrapped here, once. */
  async access(makePlan: () => Plan): Promise<OperationResult> {
    const { limits, beganMs, options, work } = this.call;
    const expired = (): Error =>
      this.waited ? noneFree(this.waited) : limitError("callTimeoutMs", limits, "the access took too long");
    // Whole milliseconds: timers of the same length are cheap.
    this.scope.expireAfter(Math.ceil(limits.callTimeoutMs - (performance.now() - beganMs)), expired);
    try {
      this.#checkReadings();
      const plan = makePlan();
      this.scope.signal.throwIfAborted();
      const digest = isHeard(this.call.options.trace) ? await newDigest() : undefined;
      const context = new Context(this, plan, digest);
      const outcome = await this.#unlessAborted(work.perform(this.scheme, plan, context, options));
      const given: OperationResult = "url" in outcome ? outcome : { ...outcome, ...this.#place(plan) };
      if (given.url === this.url) checkMediaType(given, this.scheme.name);
      if (given.url !== this.url || !isOpen(given)) this.scope.end();
      // The time limit of a body is its content's own.
      else if (given.kind !== "content") this.scope.lift();
      // The caller waits for nothing until it reads.
      this.scope.unref();
      return given;
    } catch (error) {
      const { signal } = this.scope;
      const reason: unknown = signal.aborted ? signal.reason : error;
      const failure = classify(reason).withContext(this.operation(work.name), this.shownStep);
      // Frees what the access method has made so far: a content whose source is a file, for example.
      this.scope.abort(failure);
      this.scope.end();
      throw failure;
    }
  }

  operation(name: string): ErrorContext {
    const { redactor } = this.call;
    return { name, url: this.#shownUrl, redact: redactor.active ? redactor.show : undefined };
  }

  // RFC 1738 allows a "?" in a login; later readers see another host there, and a stranger may count on it.
  #checkReadings(): void {
    if (policyFor(this.lead, undefined).addressScope !== "public") return;
    const [other] = this.url.readings;
    if (other)
      throw new AccessError("refused-name", `a reader by ${other.reader} sees another host in this URL`);
  }

  /** Settles with the work, or with the end of the scope; the listener ends with the scope, too. */
  #unlessAborted<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.scope;
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", abort);
      if (signal.aborted) abort();
      work.then(resolve, reject);
    });
  }

  #givenUp({ reason: cause }: AbortSignal): AccessError {
    const what = this.waited ? `the caller gave up while ${inUse(this.waited)}` : "the caller gave up";
    return new AccessError("aborted", what, { cause });
  }

  #place(plan: Plan): OperationResult {
    return { url: this.url, redirectChain: this.redirectChain, plan };
  }

  /** The way out through the guard; made for the first connection, since an access may need none. */
  get gate(): Gate {
    return (this.#gate ??= this.#makeGate());
  }

  /** The gate for what a peer of this hop sends us on to, as if a URL had led there. */
  get onwardGate(): Gate {
    return { ...this.gate, lead: { policy: this.call.policy, ledBy: "server", from: this.#reached } };
  }

  /** Lets a connection outlive this hop. */
  release(socket: Socket): void {
    this.scope.release(socket);
    this.call.shared.hold(socket, this.call.redactor.active);
  }

  /** The policies of what leads here, for a private and for a public peer. A connection is used again under the same two. */
  get policies(): readonly [ofPrivate: Policy, ofPublic: Policy] {
    return [policyFor(this.lead, "private"), policyFor(this.lead, "public")];
  }

  /** Notes which servers the hop has reached. */
  reached(addresses: readonly string[]): void {
    this.#reached = placeOfBoth(this.#reached, placeOf(addresses));
  }

  #makeGate(): Gate {
    const { call, scope, scheme } = this;
    return {
      lead: this.lead,
      portClass: {
        scheme: this.url.scheme,
        defaultPort: scheme.syntax.defaultPort,
        speaksFirst: scheme.speaksFirst ?? "client",
        protocols: scheme.protocols,
      },
      limits: call.limits,
      resolver: call.resolver,
      signal: scope.signal,
      trace: (event) => this.trace(event),
      opened: (socket, carrier) => scope.track(socket, carrier),
      bound: (socket) => scope.bind(socket),
      admitted: (addresses) => this.reached(addresses),
    };
  }

  trace(event: TraceMessage): void {
    const { options, redactor, beganMs } = this.call;
    if (!isHeard(options.trace)) return;
    tellTranscript(options.trace, {
      action: event.action,
      text: this.#isServers(event) ? redactor.show(event.text) : event.text,
      atMs: performance.now() - beganMs,
      url: this.#shownUrl,
      step: this.shownStep,
    });
  }

  /** The step for messages. The texts of a plan hold the path of its URL, which is a server's where a server has named it. */
  get shownStep(): Step | undefined {
    return this.#named ? undefined : this.step;
  }

  /** Whether an event has words of a server in it. */
  #isServers({ action }: TraceMessage): boolean {
    return action === "receive" || action === "redirect" || (action === "send" && this.#named);
  }
}

/** What takes the digest of a body, for a transcript that somebody follows. */
async function newDigest(): Promise<Hash> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256");
}

/** Whether something of the access goes on: a body, entries, a service that may be opened. */
function isOpen(given: OperationResult): given is Resource {
  return (
    "kind" in given &&
    (given.kind === "content" || given.kind === "directory" || given.kind === "service") &&
    "close" in given
  );
}

/** A URL that may hold a secret in any of its components, but for where it leads. */
function withoutPath(url: Url): string {
  const { host, port } = url as Partial<InternetUrl>;
  if (host === undefined) return `${url.scheme}:${MASK}`;
  return `${url.scheme}://${host}${port === undefined ? "" : `:${port}`}/${MASK}`;
}
