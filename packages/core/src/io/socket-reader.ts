import { AccessError } from "../errors/access-error.ts";
import { limitError, type Limits } from "../policy/limits.ts";
import type { Socket } from "../network/socket.ts";
import { giveRoom, takeLargeRoom, takeRoom } from "./buffer-pool.ts";
import type { AccessContext, ConnectTarget, ByteSource } from "../scheme/scheme.ts";

/** So many reads that fill the room tell a large transfer from all others: 1 MiB. */
const FULL_READS = 16;

type Take = (bytes: Uint8Array) => boolean;

/**
 * The bytes that come in on a socket, pulled by the reader: nothing is read ahead of a pending `read`, but for one buffer.
 * They end when the peer closes its side; a reset is an error. The first bytes and every silence have their time limits.
 */
export class SocketReader implements ByteSource {
  #socket: Socket | undefined;
  #limits: Limits;
  #heard = false;
  #ended = false;
  #failure: unknown;
  /** What was put back, and what came while nobody read. */
  #held: Uint8Array[] = [];
  #pending:
    { take: Take; resolve: (state: "more" | "end") => void; reject: (error: unknown) => void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Set while somebody waits for the next arrival without reading it. */
  #arrived: (() => void) | undefined;

  private constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Dials and receives into one reused buffer, which costs half of what `data` events cost. */
  static async connect(
    context: Pick<AccessContext, "connect" | "limits">,
    target: ConnectTarget,
  ): Promise<SocketReader> {
    const inflow = new SocketReader(context.limits);
    let room = takeRoom();
    let full = 0;
    const callback = (length: number): boolean => {
      const more = inflow.#deliver(room.subarray(0, length));
      // Whoever wants more has read all of it.
      if (more && length === room.length && ++full === FULL_READS) {
        const large = takeLargeRoom();
        if (large) {
          giveRoom(room);
          room = large;
        }
      }
      return more;
    };
    const socket = await context.connect(target, { onread: { buffer: () => room, callback } });
    inflow.#attach(socket);
    // What has not been read still lies in it.
    socket.once("close", () => giveRoom(room, inflow.#held.length > 0));
    return inflow;
  }

  /** Receives from a socket that is open already, for example after TLS has begun. */
  static fromSocket(socket: Socket, limits: Limits): SocketReader {
    const inflow = new SocketReader(limits);
    inflow.#attach(socket);
    socket.on("data", (chunk: Uint8Array) => {
      if (!inflow.#deliver(chunk)) socket.pause();
    });
    return inflow;
  }

  /** For others to resume only while the inflow is quiet: what has not been read lies where the next bytes would be received. */
  get socket(): Socket {
    if (!this.#socket) throw new Error("the inflow is not attached");
    return this.#socket;
  }

  /** True until the peer closes its side, the connection breaks, or the socket is destroyed. */
  get isOpen(): boolean {
    return this.#failure === undefined && !this.#ended && this.#socket?.destroyed === false;
  }

  /** Whether the connection is open and nothing has come that was not read. */
  get isIdle(): boolean {
    return this.isOpen && this.#held.length === 0;
  }

  /** Whether bytes have come that were not read; the connection may have ended behind them. */
  get hasUnread(): boolean {
    return this.#held.length > 0;
  }

  /** Begins another answer on the same connection, for an access that may have other limits: its first bytes have their own again. */
  resetLimits(limits: Limits): void {
    this.#limits = limits;
    this.#heard = false;
  }

  /** Waits, without reading, until something has come or the connection is over; at most so many milliseconds. */
  waitReadable(ms: number): Promise<void> {
    if (!this.isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = ms === Infinity ? undefined : setTimeout(() => this.#arrived?.(), ms);
      this.#arrived = () => {
        this.#arrived = undefined;
        clearTimeout(timer);
        resolve();
      };
      this.#socket?.resume();
    });
  }

  read(take: Take): Promise<"more" | "end"> {
    if (this.#pending) return Promise.reject(new Error("a read is pending already"));
    try {
      while (this.#held.length > 0) {
        const bytes = this.#held.shift() as Uint8Array;
        if (!take(bytes)) return Promise.resolve("more");
      }
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve("end");
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#pending = { take, resolve, reject };
      this.#startTimer();
      this.#socket?.resume();
    });
  }

  /** Puts bytes back in front of what is still to come. */
  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#held.unshift(Buffer.from(bytes));
  }

  cancel(): void {
    this.#held = [];
    this.#socket?.destroy();
    this.#fail(() => new AccessError("aborted", "the transfer was given up"));
  }

  #attach(socket: Socket): void {
    this.#socket = socket;
    socket.on("end", () => this.#end());
    socket.on("error", (cause) =>
      this.#fail(() => new AccessError("incomplete", "the connection broke", { cause })),
    );
    socket.on("close", () => this.#fail(() => new AccessError("incomplete", "the connection was closed")));
  }

  /** Returns whether to go on receiving. After a reader who has enough that is so: most come back before the next bytes do. */
  #deliver(bytes: Uint8Array): boolean {
    const first = !this.#heard;
    this.#heard = true;
    if (!this.#pending) {
      // Not copied, or each slow reader would take the memory twice: nothing more is received before this has been read.
      this.#held.push(bytes);
      this.#arrived?.();
      return false;
    }
    try {
      if (!this.#pending.take(bytes)) this.#settle()?.resolve("more");
      // From the first bytes on, another limit counts.
      else if (first && this.#pending) this.#startTimer();
      else this.#timer?.refresh();
    } catch (error) {
      this.#settle()?.reject(error);
    }
    return true;
  }

  #end(): void {
    if (this.#failure !== undefined) return;
    this.#ended = true;
    this.#arrived?.();
    this.#settle()?.resolve("end");
  }

  #fail(error: () => AccessError): void {
    if (this.#ended) return;
    this.#failure ??= error();
    this.#arrived?.();
    this.#settle()?.reject(this.#failure);
  }

  #settle(): { resolve: (state: "more" | "end") => void; reject: (error: unknown) => void } | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return pending;
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const limit = this.#heard ? "idleTimeoutMs" : "firstByteTimeoutMs";
    const ms = this.#limits[limit];
    if (ms === Infinity) return;
    const what = this.#heard ? "the server fell silent" : "the server did not answer";
    this.#timer = setTimeout(() => {
      this.#socket?.destroy();
      this.#fail(() => limitError(limit, this.#limits, what));
    }, ms);
  }
}
