import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";
import { AccessError, type Operation } from "../access-error.ts";
import { addressOctets, privateBlock } from "../guard/addresses.ts";
import { datagram } from "../guard/datagram.ts";
import { dial, type Gate, type Resolver, secure } from "../guard/dial.ts";
import type { Ending } from "../guard/ending.ts";
import { limitReached, type Limits } from "../guard/limits.ts";
import type { Policy } from "../guard/policy.ts";
import type { Redactor } from "../guard/redact.ts";
import type {
  AccessContext,
  Hop as Via,
  Performed,
  Plan,
  Resource,
  Scheme,
  Step,
  TraceEvent,
} from "../scheme.ts";
import { decodeOctets, InternetUrl, type Url } from "../syntax/index.ts";
import { classify } from "./classify.ts";
import { Content, type Origin } from "./content.ts";
import { Directory } from "./directory.ts";
import { makeResource } from "./made.ts";
import type { DereferenceOptions } from "./options.ts";
import { Scope } from "./scope.ts";
import type { Shared } from "./shared.ts";
import { isHeard, tellTranscript } from "./transcript.ts";
import type { Work } from "./work.ts";

/** What all hops of one call have in common. */
export interface Call {
  readonly work: Work;
  readonly options: DereferenceOptions;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly resolver: Resolver;
  readonly redact: Redactor;
  readonly beganMs: number;
  /** Aborts when the client closes. */
  readonly closing: Ending;
  readonly shared: Shared;
  /** Reads a URL as the client does. */
  parse(text: string): Url;
  /** Goes on to another URL from this hop, with the same work. */
  follow(url: Url, from: Hop, reason: string): Promise<Performed>;
}

/** How a hop was come by. */
export interface Way {
  /** The hop that led here; absent where the caller's own choice did, as of a gateway. */
  readonly from: Hop | undefined;
  /** The URLs that led here, the hop's own among them. */
  readonly via: readonly Via[];
}

/** One hop of a call: one URL, its plan, and everything that has to end with it. */
export class Hop {
  readonly call: Call;
  readonly url: Url;
  readonly via: readonly Via[];
  readonly scope: Scope;
  readonly #scheme: Scheme;
  readonly #policy: Policy;
  /** Whether the caller named this URL. */
  readonly #chosen: boolean;
  #step: Step | undefined;
  #private = false;

  constructor(call: Call, scheme: Scheme, url: Url, { from, via }: Way = { from: undefined, via: [] }) {
    this.call = call;
    this.url = url;
    this.#scheme = scheme;
    this.via = via;
    this.#chosen = from === undefined;
    // What was reached from a private address may lead to another; all else that is reached is under the onward policy.
    this.#policy = !from || from.#private ? call.policy : (call.policy.onward ?? call.policy);
    this.scope = new Scope([
      ...(call.options.signal
        ? [{ signal: call.options.signal, reason: callerAborted(call.options.signal) }]
        : []),
      { signal: call.closing, reason: () => new AccessError("aborted", "the client was closed") },
    ]);
    if (url instanceof InternetUrl && url.password) {
      call.redact.add(url.password);
      call.redact.add(decodeOctets(url.password));
    }
  }

  /** Makes the plan and performs it. Whatever fails is wrapped here, once. */
  async access(makePlan: () => Plan): Promise<Performed> {
    const { limits, beganMs, options, work } = this.call;
    const expired = (): Error => limitReached("callTimeoutMs", limits, "the access took too long");
    // Whole milliseconds: timers of the same length are cheap.
    this.scope.expireAfter(Math.ceil(limits.callTimeoutMs - (performance.now() - beganMs)), expired);
    try {
      this.#checkReadings();
      const plan = makePlan();
      this.scope.ending.throwIfAborted();
      const context = this.#context(plan);
      const outcome = await this.#unlessAborted(work.perform(this.#scheme, plan, context, options));
      const given: Performed = "url" in outcome ? outcome : { ...outcome, ...this.#place(plan) };
      if (given.url !== this.url || !isOpen(given)) this.scope.end();
      // The time limit of a body is its content's own.
      else if (given.kind !== "content") this.scope.lift();
      return given;
    } catch (error) {
      const { ending } = this.scope;
      const reason: unknown = ending.aborted ? ending.reason : error;
      const failure = classify(reason).at(this.operation(work.name), this.#step);
      // Frees what the access method has made so far: a content whose source is a file, for example.
      this.scope.abort(failure);
      this.scope.end();
      throw failure;
    }
  }

  operation(name: string): Operation {
    return { name, url: this.call.redact(String(this.url)), redact: this.call.redact };
  }

  // RFC 1738 allows a "?" in a login; later readers see another host there, and a stranger may count on it.
  #checkReadings(): void {
    if (this.#policy.reach !== "public") return;
    const [other] = this.url.readings;
    if (other)
      throw new AccessError("refused-name", `a reader by ${other.reader} sees another host in this URL`);
  }

  #unlessAborted<T>(work: Promise<T>): Promise<T> {
    const { ending } = this.scope;
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(ending.reason);
      ending.addEventListener("abort", abort);
      if (ending.aborted) abort();
      work.then(resolve, reject).finally(() => ending.removeEventListener("abort", abort));
    });
  }

  #place(plan: Plan): Performed {
    return { url: this.url, via: this.via, plan };
  }

  #context(plan: Plan): AccessContext {
    const { call, scope } = this;
    const gate = this.#gate();
    const heard = isHeard(call.options.transcript);
    const origin: Origin = {
      url: this.url,
      via: this.via,
      plan,
      scope,
      limits: call.limits,
      onProgress: call.options.onProgress,
      operation: (name) => this.operation(name),
      digest: heard ? createHash("sha256") : undefined,
      ended: (octets, digest) =>
        this.#trace({ action: "transfer", text: `${octets} octets${digest ? `, SHA-256 ${digest}` : ""}` }),
    };
    const members: Omit<AccessContext, "signal"> = {
      limits: call.limits,
      dial: (target, options) => dial(gate, target, options),
      datagram: (target, options) => datagram(options?.redirected ? this.#onward(gate) : gate, target),
      secure: (socket, host, options) => secure(gate, socket, host, options),
      credentials: async (question) => {
        const answer = await call.options.credentials?.(question);
        if (answer) call.redact.add(answer.password);
        return answer;
      },
      parse: (text) => call.parse(text),
      mask: (secret) => call.redact.add(secret),
      via: this.via,
      dereference: (url, reason = "redirect") => call.follow(url, this, reason) as Promise<Resource>,
      shared: (make) => call.shared.of(this.#scheme, this.#policy, make),
      release: (socket) => {
        scope.release(socket);
        call.shared.hold(socket);
      },
      adopt: (socket) => {
        call.shared.giveBack(socket);
        scope.track(socket);
        this.#private = isPrivate(socket.remoteAddress ?? "");
      },
      enter: (step) => {
        this.#step = step;
      },
      trace: (event) => this.#trace(event),
      failure: (name, error) =>
        classify(scope.ending.aborted ? scope.ending.reason : error).at(this.operation(name), this.#step),
      content: (init) => Object.assign(new Content(init, origin), init.extra),
      directory: (init) => Object.assign(new Directory(init, origin), init.extra),
      made: (kind, own) => makeResource(kind, own, origin),
    };
    return Object.assign(new Signalling(scope), members);
  }

  #gate(): Gate {
    const { call, scope } = this;
    const scheme = this.#scheme;
    return {
      policy: this.#policy,
      portClass: {
        scheme: this.url.scheme,
        defaultPort: scheme.syntax.defaultPort,
        speaksFirst: scheme.speaksFirst ?? "client",
      },
      limits: call.limits,
      resolver: call.resolver,
      signal: scope.ending,
      trace: (event) => this.#trace(event),
      opened: (socket, carrier) => scope.track(socket, carrier),
      bound: (close) => scope.onEnd(close),
      policyFor: (addresses) => {
        this.#private = addresses.every(isPrivate);
        return this.#private || this.#chosen ? this.#policy : (call.policy.onward ?? call.policy);
      },
    };
  }

  /** The gate for what a peer of this hop sends us on to, as if a URL had led there. */
  #onward(gate: Gate): Gate {
    const onward = this.call.policy.onward ?? this.call.policy;
    const policy = this.#private ? this.#policy : onward;
    return {
      ...gate,
      policy,
      policyFor: (addresses) => {
        this.#private &&= addresses.every(isPrivate);
        return this.#private ? policy : onward;
      },
    };
  }

  #trace(event: TraceEvent): void {
    const { options, redact, beganMs } = this.call;
    if (!isHeard(options.transcript)) return;
    tellTranscript(options.transcript, {
      action: event.action,
      text: redact(event.text),
      atMs: performance.now() - beganMs,
      url: redact(String(this.url)),
      step: this.#step,
    });
  }
}

/** Makes the signal of a context when it is asked for; a getter of a class, since one in a literal takes as long as all the rest. */
class Signalling {
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }
}

/** Whether something of the access goes on: a body, entries, a service that may be opened. */
function isOpen(given: Performed): given is Resource {
  return (
    "kind" in given &&
    (given.kind === "content" || given.kind === "directory" || given.kind === "service") &&
    "close" in given
  );
}

function isPrivate(address: string): boolean {
  const octets = addressOctets(address);
  return octets !== undefined && privateBlock(octets) !== undefined;
}

function callerAborted(signal: AbortSignal): () => AccessError {
  return () => new AccessError("aborted", "the caller gave up", { cause: signal.reason });
}
