import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type Socket } from "@anyscheme/core/plugin";
import { FTPContext } from "basic-ftp";
import { type Reply, ReplyParser } from "./reply.ts";

/**
 * basic-ftp's context, with its replies cut by our cutter: its own takes the part of a line that has arrived for the line,
 * and its limit cannot be changed. One character of a reply is one byte.
 */
class ReplyContext extends FTPContext {
  readonly #cutter: ReplyParser;
  readonly #hear: (reply: Reply) => void;

  /** `hear` gets each reply. */
  constructor(limits: Limits, hear: (reply: Reply) => void) {
    super(0, "latin1");
    this.#cutter = new ReplyParser(limits);
    this.#hear = hear;
  }

  protected override _onControlSocketData(chunk: string): void {
    try {
      for (const reply of this.#cutter.push(chunk)) this.#hear(reply);
    } catch (error) {
      this.closeWithError(error as Error);
    }
  }

  // The context sends a QUIT whenever it closes. Ours is a step of the plan, or is not sent.
  override closeWithError(error: Error): void {
    this.socket.destroy();
    super.closeWithError(error);
  }

  // It takes away whoever listens to the socket, and not only itself; that is right for the socket that it makes of its own.
  protected override _removeSocketListeners(socket: Socket): void {
    if (socket.remoteAddress === undefined && !socket.destroyed) super._removeSocketListeners(socket);
  }

  /** Whether part of a reply has arrived. */
  get isInside(): boolean {
    return this.#cutter.hasPartialReply;
  }
}

/** How long a reply may take: the first one to a command, and the one that confirms a transfer. */
type Timeout = "firstByteTimeoutMs" | "idleTimeoutMs";

/** The control connection: commands go out byte by byte, replies wait until they are asked for. RFC 959 §2.3, §5.4. */
export class Control {
  readonly #limits: Limits;
  readonly #context: ReplyContext;
  readonly #replies: Reply[] = [];
  #outgoing: Uint8Array[] = [];
  #bytes = 0;
  #heard = false;
  #failure: AccessError | undefined;
  #wake: (() => void) | undefined;
  #interruption: unknown;
  /** Called while nothing waits for a reply: for each that comes, and when the connection is lost. */
  onChange: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looksAtMs = Infinity;
  #deadline: { readonly timeout: Timeout; readonly atMs: number } | undefined;

  /** Takes a connection over that has just been opened. */
  constructor(socket: Socket, limits: Limits) {
    this.#limits = limits;
    this.#context = new ReplyContext(limits, (reply) => this.#hear(reply));
    this.#context.socket = socket;
    // One task as long as the connection lasts, since the context drops an error that comes while there is none.
    void this.#context.handle(undefined, (response, task) => {
      if (response instanceof Error) this.#fail(response);
      task.resolve(undefined);
    });
  }

  get socket(): Socket {
    return this.#context.socket;
  }

  /** A reply that came without being waited for. */
  unasked(): Reply | undefined {
    return this.#take();
  }

  /** The replies that nothing has waited for yet. */
  get waiting(): readonly Reply[] {
    return this.#replies;
  }

  /** Whether there is nothing to read, not even part of a reply. */
  get isQuiet(): boolean {
    return this.#replies.length === 0 && !this.#context.isInside;
  }

  /** Whether the server has sent its greeting, or any other reply. */
  get hasGreeted(): boolean {
    return this.#heard;
  }

  get isOpen(): boolean {
    return this.#failure === undefined && !this.socket.destroyed;
  }

  /** Goes on with the TLS connection that runs on the one so far. */
  upgrade(socket: Socket): void {
    this.#context.socket = socket;
  }

  /** Sends a command; the answer is the next reply. What is said in one breath goes out in one write. */
  send(bytes: Uint8Array): void {
    if (this.#outgoing.push(bytes) === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    const [only] = outgoing;
    if (only) this.socket.write(outgoing.length === 1 ? only : Buffer.concat(outgoing));
  }

  /** The next reply. Throws `timeout`, `unavailable` when the server closes without a greeting, and `incomplete` when later. */
  async reply(timeout: Timeout): Promise<Reply> {
    if (this.#replies.length === 0 && this.isOpen) await this.#change(timeout);
    const interruption = this.#interruption;
    this.#interruption = undefined;
    const reply = this.#take();
    if (reply) return reply;
    throw interruption ?? this.#failure ?? new AccessError("incomplete", "the control connection is closed");
  }

  /** Ends the wait for a reply, if somebody waits; it may come later. */
  interrupt(error: unknown): void {
    if (!this.#wake) return;
    this.#interruption = error;
    this.#wake();
  }

  close(): void {
    this.#flush();
    this.#context.closeWithError(new AccessError("aborted", "the control connection was given up"));
  }

  #take(): Reply | undefined {
    const reply = this.#replies.shift();
    if (reply) this.#bytes -= reply.text.length;
    return reply;
  }

  #hear(reply: Reply): void {
    this.#heard = true;
    this.#replies.push(reply);
    this.#bytes += reply.text.length;
    if (this.#wake) this.#wake();
    else this.onChange?.();
    if (this.#bytes <= this.#limits.maxReplyBytes) return;
    this.#context.closeWithError(
      limitError("maxReplyBytes", this.#limits, "the server sends replies that nobody asked for"),
    );
  }

  #fail(cause: Error): void {
    const code = this.#heard ? "incomplete" : "unavailable";
    const reason = (cause as NodeJS.ErrnoException).code ?? "the server closed it";
    const lost = (): AccessError =>
      new AccessError(code, `the control connection was lost: ${reason}`, { cause });
    this.#failure ??= cause instanceof AccessError ? cause : lost();
    clearTimeout(this.#timer);
    if (this.#wake) this.#wake();
    else this.onChange?.();
  }

  /** Waits for a reply, a failure or an interruption. */
  async #change(timeout: Timeout): Promise<void> {
    const ms = this.#limits[timeout];
    if (ms !== Infinity) {
      const atMs = performance.now() + ms;
      this.#deadline = { timeout, atMs };
      if (atMs < this.#looksAtMs) this.#look(ms, atMs);
    }
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    this.#deadline = undefined;
  }

  // One timer for all replies: one that is set and cleared for each would take longer than to read it.
  #look(ms: number, atMs: number): void {
    clearTimeout(this.#timer);
    this.#looksAtMs = atMs;
    this.#timer = setTimeout(() => {
      this.#looksAtMs = Infinity;
      if (!this.#deadline || !this.isOpen) return;
      const { timeout, atMs: endsMs } = this.#deadline;
      const left = Math.ceil(endsMs - performance.now());
      if (left > 0) this.#look(left, endsMs);
      else this.#context.closeWithError(limitError(timeout, this.#limits, "the server does not answer"));
    }, ms).unref();
  }
}
