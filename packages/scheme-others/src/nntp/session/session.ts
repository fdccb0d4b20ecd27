import { type AccessCode, AccessError, type Credentials, type Step } from "@anyscheme/core";
import type { AccessContext, ByteSource, TlsOptions, Socket, Endpoint } from "@anyscheme/core/plugin";
import { SocketReader, isRefusedOrReset } from "@anyscheme/core/io";
import type { RequestPlan } from "../plan/request-plan.ts";
import { encodeCommand } from "../plan/commands.ts";
import { NntpConnection } from "./connection.ts";
import { credentialsKey, ConnectionCache, poolKey } from "./connection-cache.ts";
import { readList } from "../listing/list.ts";
import {
  unsolicitedReplyError,
  ReplyTrace,
  replyError,
  NntpReplyError,
  type Reply,
  escapeLine,
} from "./reply.ts";

/** What a connection looks like that its server has closed. */
const LOST: ReadonlySet<AccessCode> = new Set(["incomplete", "unavailable"]);

/** One visit to one server: performs the steps of an attempt, over a connection that was kept where there is one. */
export class NntpSession {
  readonly #attempt: RequestPlan;
  readonly #context: AccessContext;
  readonly #tls: TlsOptions;
  readonly #kept: ConnectionCache;
  #conversation: NntpConnection | undefined;
  #answer: Promise<Credentials | undefined> | undefined;
  #credentials: Credentials | undefined;
  /** What the conditions of the next steps are held against: the code of the last reply, and what it lists. */
  #last = "";
  #said: Step | undefined;
  #refused = false;
  #finished = false;
  #keyed: { readonly login: string | undefined; readonly key: string } | undefined;

  constructor(attempt: RequestPlan, context: AccessContext, tls: TlsOptions) {
    this.#attempt = attempt;
    this.#context = context;
    this.#tls = tls;
    this.#kept = context.getShared(() => new ConnectionCache());
  }

  get conversation(): NntpConnection {
    if (!this.#conversation) throw new Error("the session has not begun");
    return this.#conversation;
  }

  /**
   * Performs the first exchange, and for an article all of them, on a connection that was kept or on a new one. A server may close
   * a connection in the very moment in which it is used again; then a new one is opened.
   */
  async start(): Promise<Reply> {
    for (let fresh = false; ;) {
      const kept = await this.#reach(fresh);
      try {
        return await this.#beginning();
      } catch (error) {
        const lost = kept && !this.conversation.heard && !this.#context.signal.aborted;
        if (!lost && !(await this.#freesPlace(error))) throw error;
        if (lost) fresh = true;
        this.conversation.close();
      }
    }
  }

  /** Performs one exchange up to its last reply. */
  async exchange(steps: readonly Step[]): Promise<Reply> {
    let reply: Reply | undefined;
    this.#last = "";
    for (const step of steps) {
      const performed = this.#perform(step);
      if (performed) reply = (await performed) ?? reply;
    }
    if (!reply) throw new Error("the exchange waits for no reply");
    if (reply.code === "211") this.conversation.group = this.#attempt.group;
    return reply;
  }

  /** Asks for the overview of a range, by the step of the plan that leaves the range open. */
  async range(low: number, high: number): Promise<Reply> {
    const [send, expect] = this.#attempt.exchanges[1] ?? [];
    if (!send || !expect) throw new Error("the plan asks for no ranges");
    this.#context.beginStep(send);
    await this.#say(send, encodeCommand("OVER", `${low}-${high}`), `OVER ${low}-${high}`);
    this.#context.beginStep(expect);
    return this.#expect(expect);
  }

  /** The data that follows the last reply; at its end the connection is kept. */
  data(): ByteSource {
    const source = this.conversation.data();
    return {
      read: async (take) => {
        const state = await source.read(take);
        if (state === "end") this.release();
        return state;
      },
      cancel: () => this.abort(),
    };
  }

  /** Whether the server answered, and the answer was no. */
  get isRejected(): boolean {
    return this.#refused;
  }

  /** Keeps the connection for the next access. */
  release(): void {
    if (this.#finished) return;
    this.#finished = true;
    const { conversation } = this;
    conversation.rest();
    this.#kept.idle.release(this.#key(conversation.login), conversation, this.#context);
  }

  /** Closes the connection, unless it is kept already. */
  abort(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#conversation?.close();
  }

  async #beginning(): Promise<Reply> {
    const { exchanges, asked, group } = this.#attempt;
    const [first = [], second] = exchanges;
    if (asked !== "article" || !second) return this.exchange(first);
    // An article of the group that is selected already needs no other GROUP.
    if (this.conversation.group !== group) await this.exchange(first);
    return this.exchange(second);
  }

  /** Takes a connection that was kept, unless it has to be a fresh one, or opens one; tells which. */
  async #reach(fresh: boolean): Promise<boolean> {
    // Where a login will be asked for, it is asked for now: a connection serves only whom it was opened for.
    if (this.#kept.requiresLogin(this.#attempt.server)) this.#credentials = await this.#ask();
    const key = this.#key(this.#credentials && credentialsKey(this.#credentials));
    let kept = false;
    this.#conversation = await this.#context.acquireConnection(this.#target, {
      takeIdle: () => {
        const found = fresh ? undefined : this.#take(key);
        kept = found !== undefined;
        return found;
      },
      open: () => this.#open(),
      isServerFull: (error) => this.#meansFull(error),
    });
    return kept;
  }

  #take(key: string): NntpConnection | undefined {
    const { group } = this.#attempt;
    const { idle } = this.#kept;
    const suits = (kept: NntpConnection): boolean => kept.group === group;
    const kept = idle.acquire(key, this.#context, suits) ?? idle.acquire(key, this.#context);
    kept?.takeUp();
    return kept;
  }

  get #target(): Endpoint {
    const { effectiveHost: host, effectivePort: port } = this.#attempt.server;
    return { host, port };
  }

  /** Whether a server that was to be opened takes no more connections. */
  #meansFull(error: unknown): boolean {
    if (error instanceof NntpReplyError) return error.reply.code === "400" || error.isTooManyConnections;
    if (!this.#conversation) return isRefusedOrReset(error);
    return !this.#conversation.heard && error instanceof AccessError && LOST.has(error.code);
  }

  /** Whether this connection has to go, and the access to be tried again: it is one too many for the server. */
  async #freesPlace(error: unknown): Promise<boolean> {
    if (!(error instanceof NntpReplyError) || !error.isTooManyConnections) return false;
    return this.#context.reportServerFull(this.#target);
  }

  /** What connections of this access are kept under; made once, since most end as whom they began. */
  #key(login: string | undefined): string {
    if (this.#keyed?.login !== login || !this.#keyed)
      this.#keyed = { login, key: poolKey(this.#attempt.server, login, this.#context.limits) };
    return this.#keyed.key;
  }

  async #open(): Promise<NntpConnection> {
    const { opening } = this.#attempt;
    this.#conversation = undefined;
    let socket: Socket | undefined;
    for (const step of opening) {
      if (step.action === "connect" && step.target) {
        this.#context.beginStep(step);
        // A URL of news may lead to a server of nntps.
        const target = { ...step.target, protocol: this.#attempt.server.scheme };
        if (opening.some(({ action }) => action === "tls")) socket = await this.#context.connect(target);
        else this.#converse(await SocketReader.connect(this.#context, target));
      } else if (step.action === "tls" && step.target && socket) {
        this.#context.beginStep(step);
        this.#checkNothingSmuggled();
        const secured = await this.#context.startTls(socket, step.target.host, this.#tls);
        this.#converse(SocketReader.fromSocket(secured, this.#context.limits));
      } else {
        if (!this.#conversation && socket && step.action === "expect")
          this.#converse(SocketReader.fromSocket(socket, this.#context.limits));
        await this.#perform(step);
      }
    }
    return this.conversation;
  }

  #converse(inflow: SocketReader): void {
    this.#conversation = new NntpConnection(inflow, this.#context.limits);
  }

  /** RFC 4642 §2.2.2: what came before the negotiation must not be taken for what came over TLS. */
  #checkNothingSmuggled(): void {
    if (this.#conversation?.isReusable === false)
      throw new AccessError("protocol", "the server sent more before TLS began");
  }

  /** Performs a step, unless it depends on another reply than the one that came last. Gives a promise where there is something to wait for. */
  #perform(step: Step): Promise<Reply | undefined> | undefined {
    if (step.onReply !== undefined && !this.#last.startsWith(step.onReply)) return undefined;
    if (step.action !== "send" && step.action !== "expect") return undefined;
    this.#context.beginStep(step);
    if (step.action === "expect") return this.#expect(step);
    if (!step.bytes) return this.#sayLogin(step);
    return this.#say(step, step.bytes, step.description);
  }

  async #sayLogin(step: Step): Promise<undefined> {
    await this.#say(step, await this.#login(step), step.description);
  }

  /** Sends a command. Gives a promise where bytes that came before it have to be refused. */
  #say(step: Step, bytes: Uint8Array, text: string): Promise<undefined> | undefined {
    if (this.conversation.hasUnasked) return this.#refuseUnasked();
    this.#context.trace({ action: "send", text });
    this.conversation.send(bytes);
    this.#said = step;
    return undefined;
  }

  async #refuseUnasked(): Promise<never> {
    const line = await this.conversation.unasked();
    this.#context.trace({ action: "receive", text: escapeLine(line) });
    throw unsolicitedReplyError(line);
  }

  async #expect({ expectReplies: accept = [] }: Step): Promise<Reply> {
    const reply = await this.conversation.reply();
    this.#context.trace(new ReplyTrace(reply));
    if (!accept.some((code) => reply.code.startsWith(code))) {
      this.#refused = true;
      throw replyError(reply, this.#said?.description);
    }
    this.#last = reply.code;
    if (reply.code === "101") this.#last = await this.#capabilities();
    if (reply.code === "281" && this.#credentials) {
      this.conversation.login = credentialsKey(this.#credentials);
      this.#kept.addLoginServer(this.#attempt.server);
    }
    return reply;
  }

  /** RFC 3977 §3.4.2: a server that can switch lists MODE-READER, and READER only when it has switched. */
  async #capabilities(): Promise<string> {
    const { limits } = this.#context;
    const labels = new Set<string>();
    const labelOf = (line: string): string => line.split(/[ \t]/, 1)[0]?.toUpperCase() ?? "";
    const list = readList(this.conversation.data(), limits, labelOf, { bytes: "maxReplyBytes" });
    for await (const label of list) labels.add(label);
    return labels.has("MODE-READER") && !labels.has("READER") ? "101 MODE-READER" : "101";
  }

  /** The bytes of a login, which the plan does not know. RFC 4643 §2.3. */
  async #login({ onReply: when }: Step): Promise<Uint8Array> {
    this.#credentials ??= await this.#ask();
    const { user, password } = this.#credentials ?? {};
    if (user === undefined || password === undefined) {
      const what = this.#credentials ? "the server asks for a user" : "the server asks for a login";
      const advice = "give the client an option credentials that knows user and password";
      throw new AccessError("authentication-required", what, { advice });
    }
    return when === "480"
      ? encodeCommand("AUTHINFO USER", user, "user name")
      : encodeCommand("AUTHINFO PASS", password, "password");
  }

  /** Asks the caller, once. */
  #ask(): Promise<Credentials | undefined> {
    const { scheme, host, effectivePort: port } = this.#attempt.server;
    return (this.#answer ??= this.#context.requestCredentials({ scheme, host, port, kind: "password" }));
  }
}
