import { AccessError, type Limits } from "@anyscheme/core";
import type { ByteSource, Socket } from "@anyscheme/core/plugin";
import { dotStuffedBody, type SocketReader, readLine, type PooledConnection } from "@anyscheme/core/io";
import { type Reply, parseReply } from "./reply.ts";
import { bytesToLatin1 } from "../article/header-values.ts";

/** A connection to a server that has greeted: commands go out byte by byte, replies are read one by one. */
export class NntpConnection implements PooledConnection {
  readonly #inflow: SocketReader;
  readonly #limits: Limits;
  #heard = false;
  #idle = false;
  /** The group that the server has selected for us. */
  group: string | undefined;
  /** Whom the server takes us for, as {@link identity} says it. */
  login: string | undefined;

  constructor(inflow: SocketReader, limits: Limits) {
    this.#inflow = inflow;
    this.#limits = limits;
  }

  get socket(): Socket {
    return this.#inflow.socket;
  }

  get isReusable(): boolean {
    return this.#inflow.isIdle;
  }

  /** Whether the server has said something since the connection was opened, or taken up again. */
  get heard(): boolean {
    return this.#heard;
  }

  /** Begins another access. */
  takeUp(): void {
    this.#heard = false;
    this.#idle = false;
  }

  /** Ends an access. Bytes that the server sends while the session is idle answer no command: they close the connection. */
  rest(): void {
    this.#idle = true;
    void this.#inflow.waitReadable(Infinity).then(() => {
      if (this.#idle) this.close();
    });
  }

  /** Whether bytes have come that answer no command. */
  get hasUnasked(): boolean {
    return this.#inflow.hasUnread;
  }

  /** The first line of the bytes that answer no command, without waiting for the rest of it. */
  async unasked(): Promise<string> {
    let bytes = "";
    await this.#inflow.read((piece) => {
      bytes += bytesToLatin1(piece.subarray(0, this.#limits.maxNntpLineBytes));
      return this.#inflow.hasUnread;
    });
    return bytes.split(/\r?\n/, 1)[0] ?? "";
  }

  send(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** The next reply. Throws `unavailable` where a server closes without a greeting, and `incomplete` when later. */
  async reply(): Promise<Reply> {
    const line = await readLine(this.#inflow, this.#limits, "maxNntpLineBytes");
    if (line !== undefined) {
      this.#heard = true;
      return parseReply(line);
    }
    const what = "the server closed the connection";
    throw new AccessError(this.#heard ? "incomplete" : "unavailable", what);
  }

  /** The data block that follows a reply. */
  data(): ByteSource {
    return dotStuffedBody(this.#inflow);
  }

  close(): void {
    this.#inflow.cancel();
  }
}
