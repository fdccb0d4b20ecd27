import { AccessError, type Limits, type OctetSource, type Socket } from "@anyscheme/core";
import { dotBody, type Inflow, lineFrom, type Reusable } from "@anyscheme/core/wire";
import { type Reply, replyOf } from "./reply.ts";

/** A connection to a server that has greeted: commands go out octet by octet, replies are read one by one. */
export class Conversation implements Reusable {
  readonly #inflow: Inflow;
  readonly #limits: Limits;
  #heard = false;
  /** The group that the server has selected for us. */
  group: string | undefined;
  /** Whom the server takes us for, as {@link identity} says it. */
  login: string | undefined;

  constructor(inflow: Inflow, limits: Limits) {
    this.#inflow = inflow;
    this.#limits = limits;
  }

  get socket(): Socket {
    return this.#inflow.socket;
  }

  get usable(): boolean {
    return this.#inflow.quiet;
  }

  /** Whether the server has said something since the connection was opened, or taken up again. */
  get heard(): boolean {
    return this.#heard;
  }

  /** Begins another access. */
  takeUp(): void {
    this.#heard = false;
  }

  /** Ends an access. Goes on receiving, so that the end of the connection and what comes unasked are noticed. */
  rest(): void {
    this.socket.resume();
  }

  send(octets: Uint8Array): void {
    this.socket.write(octets);
  }

  /** The next reply. Throws `unavailable` where a server closes without a greeting, and `incomplete` when later. */
  async reply(): Promise<Reply> {
    const line = await lineFrom(this.#inflow, this.#limits, "maxNntpLineBytes");
    if (line !== undefined) {
      this.#heard = true;
      return replyOf(line);
    }
    const what = "the server closed the connection";
    throw new AccessError(this.#heard ? "incomplete" : "unavailable", what);
  }

  /** The data block that follows a reply. */
  data(): OctetSource {
    return dotBody(this.#inflow);
  }

  close(): void {
    this.#inflow.cancel();
  }
}
