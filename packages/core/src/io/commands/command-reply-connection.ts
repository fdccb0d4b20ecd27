import { AccessError, createMaskableServerText } from "../../errors/access-error.ts";
import type { Socket } from "../../network/guard-context.ts";
import type { Step } from "../../scheme/plan.ts";
import type { TlsOptions } from "../../scheme/context.ts";
import type {
  CommandReplyConnectionOptions,
  CommandReplyConnectionDependencies,
  CommandReplyProtocolDefinition,
  ExpectReplyOptions,
  Reply,
  RunStepsOptions,
} from "./command-reply-connection-types.ts";
import { replaceControls } from "../../text/escape-controls.ts";
import type { PooledConnection } from "../connection-pool.ts";
import { ReplyReader } from "./reply-reader.ts";
import { SocketReader } from "../socket-reader.ts";

/** The maximum number of preliminary replies before a final reply. */
const MAX_PRELIMINARY_REPLIES = 10;

/**
 * A connection on which each command gets a reply (RFC 959 §4.2, RFC 3977 §3.2). The connection runs the steps of a
 * plan in their order.
 *
 * ```ts
 * const connection = await CommandReplyConnection.connect(plan.phases.open, context, FTP, { tls: { ca } });
 * try {
 *   await connection.run([...plan.phases.open, ...plan.phases.login], { getCommandWithSecret: askForPassword });
 *   const size = await connection.run(plan.phases.size);
 *   pool.release(key, connection, context);
 * } catch (error) {
 *   connection.close();
 *   throw error;
 * }
 * ```
 */
export class CommandReplyConnection<R extends Reply, S extends Step = Step> implements PooledConnection {
  readonly #protocol: CommandReplyProtocolDefinition<R, S>;
  readonly #tls: TlsOptions | undefined;
  readonly #replies: ReplyReader<R>;
  #context: CommandReplyConnectionDependencies;
  #isSecure: boolean;
  #outgoing: Uint8Array[] = [];
  /** The commands that have not received a final reply, in order. */
  #pending: { readonly step: S; readonly knownReply: R | undefined }[] = [];
  /** The number of keep-alive commands without a reply, and the reply codes that count as replies to these commands. */
  #keepAlive: { unansweredCount: number; readonly replyCodes: ReadonlySet<string> } | undefined;
  #isClosing = false;
  #isDetached = false;
  #lastReply: R | undefined;
  #lastCommand: S | undefined;

  private constructor(
    reader: SocketReader,
    context: CommandReplyConnectionDependencies,
    protocol: CommandReplyProtocolDefinition<R, S>,
    tls: TlsOptions | undefined,
    isSecure: boolean,
  ) {
    this.#context = context;
    this.#protocol = protocol;
    this.#tls = tls;
    this.#isSecure = isSecure;
    this.#replies = new ReplyReader(reader, context.limits, {
      createParser: (limits) => protocol.createParser(limits),
      connectionName: protocol.connectionName ?? "connection",
      shouldDropReply: (reply) => this.#answersKeepAlive(reply),
    });
  }

  /** Connects to the server: executes the `connect` step, and a `tls` step that precedes the server's greeting. */
  static async connect<R extends Reply, S extends Step = Step>(
    steps: readonly S[],
    context: CommandReplyConnectionDependencies,
    protocol: CommandReplyProtocolDefinition<R, S>,
    { connect, tls, applicationProtocol }: CommandReplyConnectionOptions = {},
  ): Promise<CommandReplyConnection<R, S>> {
    const step = steps.find(({ action }) => action === "connect");
    if (!step?.target) throw new Error("the plan has no connect step");
    const target = applicationProtocol === undefined ? step.target : { ...step.target, applicationProtocol };
    const tlsStep = steps.find(({ action }) => action === "tls");
    const greeting = steps.findIndex(({ action }) => action === "expect");
    context.beginStep(step);
    let socket = await (connect ? connect(target) : context.connect(target));
    const isImplicit = tlsStep?.target !== undefined && steps.indexOf(tlsStep) < greeting;
    if (isImplicit) {
      context.beginStep(tlsStep);
      socket = await context.startTls(socket, tlsStep.target.host, tls);
    }
    const reader = new SocketReader(socket, context.limits);
    return new CommandReplyConnection(reader, context, protocol, tls, isImplicit);
  }

  get socket(): Socket {
    return this.reader.socket;
  }

  /** The reader of the bytes that follow a reply, such as the data block of a news article. */
  get reader(): SocketReader {
    return this.#replies.reader;
  }

  get isSecure(): boolean {
    return this.#isSecure;
  }

  get isOpen(): boolean {
    return this.#replies.isOpen;
  }

  /** True when no reply is outstanding and no unsolicited bytes have arrived. The connection can then be reused. */
  get isReusable(): boolean {
    const isAnswered = this.#pending.every(({ knownReply }) => knownReply !== undefined);
    return this.#replies.isIdle && isAnswered && !this.#keepAlive?.unansweredCount && !this.#isClosing;
  }

  /** The number of replies to the current request. */
  get replyCount(): number {
    return this.#replies.replyCount;
  }

  /** The last reply that matched an `expect` step. */
  get lastReply(): R | undefined {
    return this.#lastReply;
  }

  /** The first command that has not received a final reply. */
  get pendingCommand(): S | undefined {
    return this.#pending[0]?.step;
  }

  /** The replies that have arrived and that no `expect` step has read yet. */
  get unreadReplies(): readonly R[] {
    return this.#replies.queuedReplies;
  }

  /**
   * Runs steps in order and returns the last reply. A step with the field `onReply` runs only if the code of the last
   * reply starts with the value of the field.
   */
  async run(steps: readonly S[], options: RunStepsOptions<R, S> = {}): Promise<R | undefined> {
    for (const step of steps) {
      if (!options.runsEveryStep && !this.#hasReply(step.onReply)) continue;
      const performed = this.#perform(step, options);
      if (performed) await performed;
    }
    return this.#lastReply;
  }

  #hasReply(code: string | undefined): boolean {
    return code === undefined || this.#lastReply?.code.startsWith(code) === true;
  }

  /**
   * Executes a step of the plan, and returns a promise only when the step must wait. Commands that are sent without a
   * wait between them share one write.
   */
  #perform(step: S, options: RunStepsOptions<R, S>): Promise<unknown> | undefined {
    const { action, bytes } = step;
    // The method connect() has executed the `connect` step, and the `tls` step of a connection that is already secure.
    if (step.target && (action !== "tls" || this.#isSecure)) return undefined;
    this.#context.beginStep(step);
    if (action === "expect") return this.expect(step.expectReplies ?? [], options);
    if (action === "tls") return this.#startTls(step);
    if (action !== "send") return undefined;
    const knownReply = options.getKnownReply?.(step);
    if (!knownReply && !bytes) return this.#sendSecret(step, options);
    if (knownReply) this.#pending.push({ step, knownReply });
    else this.send(step, bytes);
    return undefined;
  }

  async #sendSecret(step: S, options: RunStepsOptions<R, S>): Promise<void> {
    const bytes = await options.getCommandWithSecret?.(step);
    if (!bytes) throw new Error(`the step "${step.description}" has no bytes`);
    this.send(step, bytes);
  }

  /**
   * Sends a command without waiting for its reply. Commands that are sent in the same tick share one write. Throws when
   * the server has sent an unsolicited reply.
   */
  send(step: S, bytes: Uint8Array | undefined = step.bytes): void {
    if (!bytes) throw new Error(`the step "${step.description}" has no bytes`);
    if (this.#pending.length === 0) this.#rejectUnsolicitedReply();
    this.#pending.push({ step, knownReply: undefined });
    this.#write(step, bytes);
  }

  /**
   * Sends a command whose reply may arrive before or after the pending command's reply. A reply with one of
   * `replyCodes` counts as the reply to this command and is dropped. `sendKeepAlive` never throws, because timers call
   * this method. A failure to send closes the connection.
   */
  sendKeepAlive(step: S, replyCodes: ReadonlySet<string>): void {
    if (!step.bytes || !this.isOpen) return;
    this.#keepAlive ??= { unansweredCount: 0, replyCodes };
    this.#keepAlive.unansweredCount++;
    try {
      this.#write(step, step.bytes);
    } catch (error) {
      this.#replies.fail(error);
    }
  }

  #write(step: S, bytes: Uint8Array): void {
    this.#context.trace({ action: "send", text: step.description });
    if (this.#outgoing.push(bytes) === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const outgoing = this.#outgoing.splice(0);
    if (outgoing.length > 0) this.socket.write(Buffer.concat(outgoing));
  }

  /**
   * Waits for the next reply whose code begins with one of `codes`, and skips other preliminary replies. Throws the
   * error that `createReplyError` of the options or the protocol returns for any other reply.
   */
  async expect(codes: readonly string[], options: ExpectReplyOptions<R, S> = {}): Promise<R> {
    for (let count = 0; count <= MAX_PRELIMINARY_REPLIES; count++) {
      const { reply, command } = await this.#nextReply(options);
      const accepted = (await options.onReply?.(reply, command)) ?? reply;
      if (codes.some((code) => accepted.code.startsWith(code))) {
        this.#lastReply = accepted;
        return accepted;
      }
      if (!this.#protocol.isPreliminaryReply?.(reply))
        throw options.createReplyError?.(reply, command) ?? this.#protocol.createReplyError(reply, command);
    }
    throw new AccessError(
      "protocol",
      `the server sent more than ${MAX_PRELIMINARY_REPLIES} preliminary replies`,
    );
  }

  /**
   * Waits without a time limit until a further reply arrives or the connection is lost. The promise also settles when
   * the next command is sent or the next reply is expected. The reply that arrives stays in {@link unreadReplies}.
   */
  waitUntilReplyArrives(): Promise<void> {
    return this.#replies.waitUntilReplyArrives();
  }

  /**
   * Starts TLS. Throws an error with the code `protocol` for bytes that arrived before TLS, because an attacker may
   * have injected them (RFC 4217 §15, RFC 4642 §2.2.2).
   */
  async #startTls({ target }: S): Promise<void> {
    if (!this.isReusable)
      throw new AccessError("protocol", "the server sent unencrypted bytes after it had agreed to TLS");
    const host = target?.host ?? "";
    const socket = await this.#context.startTls(this.socket, host, this.#tls);
    this.#replies.reader = new SocketReader(socket, this.#context.limits);
    this.#isSecure = true;
  }

  /**
   * Prepares the connection for the pool of idle connections. Unsolicited bytes of the server close an idle connection.
   */
  detachFromRequest(): void {
    this.#isDetached = true;
    void this.reader.waitReadable(Infinity).then(() => {
      if (this.#isDetached) this.close();
    });
  }

  /** Prepares a connection of the pool for the next request. */
  attachToRequest(context: CommandReplyConnectionDependencies): void {
    this.#isDetached = false;
    this.#context = context;
    this.#replies.reset(context.limits);
    this.#pending = [];
    this.#lastReply = undefined;
    this.#lastCommand = undefined;
  }

  /** Sends the commands that wait to be written, and closes the connection. */
  close(): void {
    if (!this.socket.destroyed) this.#flush();
    this.#replies.fail(new AccessError("aborted", "the connection was closed"));
  }

  async #nextReply({
    signal,
    timeoutLimit = this.#protocol.replyTimeoutLimit ?? "firstByteTimeoutMs",
  }: ExpectReplyOptions<R, S>): Promise<{ reply: R; command: S | undefined }> {
    const [pending] = this.#pending;
    if (pending?.knownReply) {
      this.#pending.shift();
      return { reply: pending.knownReply, command: pending.step };
    }
    const reply = await this.#replies.nextReply(timeoutLimit, signal);
    this.#traceReply(reply);
    if (pending) this.#lastCommand = pending.step;
    if (pending && !this.#protocol.isPreliminaryReply?.(reply)) this.#pending.shift();
    if (this.#protocol.isClosingReply?.(reply)) this.#isClosing = true;
    return { reply, command: this.#lastCommand };
  }

  #answersKeepAlive(reply: R): boolean {
    if (!this.#keepAlive?.unansweredCount || !this.#keepAlive.replyCodes.has(reply.code)) return false;
    this.#keepAlive.unansweredCount--;
    this.#traceReply(reply);
    return true;
  }

  /** Throws an error for a reply that arrived before its command. */
  #rejectUnsolicitedReply(): void {
    this.#replies.cancelWait();
    this.#replies.parseUnread();
    const reply = this.#replies.takeQueuedReply();
    const { partialReply } = this.#replies;
    if (!reply && partialReply === "") return;
    const text = reply ? this.#protocol.formatReply(reply) : replaceControls(partialReply);
    this.#isClosing = true;
    this.#context.trace({ action: "receive", text });
    if (reply && this.#protocol.isClosingReply?.(reply))
      throw this.#protocol.createReplyError(reply, this.#lastCommand);
    throw new AccessError("protocol", [
      "the server sent a reply before any command: ",
      createMaskableServerText(text),
    ]);
  }

  #traceReply(reply: R): void {
    if (!this.#context.isTraced) return;
    this.#context.trace({ action: "receive", text: this.#protocol.formatReply(reply) });
  }
}
