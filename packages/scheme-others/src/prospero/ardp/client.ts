import { randomInt } from "node:crypto";
import { performance } from "node:perf_hooks";
import {
  type AccessContext,
  type DatagramOptions,
  type DatagramSocket,
  limitError,
  type ByteSource,
  type Endpoint,
} from "@anyscheme/core/plugin";
import { ArdpExchange } from "./exchange.ts";

/** What a conversation with a server needs of an access. */
export type ArdpContext = Pick<AccessContext, "openDatagramSocket" | "limits" | "trace">;

/** The only clock here: conversations are told the time. */
const now = (): number => performance.now();

/** A Prospero server as ARDP reaches it: asked one thing after the other, on one socket. */
export class ArdpClient {
  readonly #context: ArdpContext;
  #peer: DatagramSocket;
  #cid: number = randomInt(1, 0x10000);
  #requests = 0;
  #redirects = 0;

  private constructor(context: ArdpContext, peer: DatagramSocket) {
    this.#context = context;
    this.#peer = peer;
  }

  /** Throws what the guard throws. */
  static async open(context: ArdpContext, target: Endpoint, options?: DatagramOptions): Promise<ArdpClient> {
    return new ArdpClient(context, await context.openDatagramSocket(target, options));
  }

  /** Sends a request as soon as its reply is read; the reply's bytes come in order. */
  request(message: Uint8Array): ByteSource {
    const conversation = new ArdpExchange({
      message,
      cid: this.#nextConnectionId(),
      limits: this.#context.limits,
      nowMs: now(),
      isFirstRequest: this.#requests++ === 0,
    });
    let leftMs = now();
    return {
      read: async (take) => {
        conversation.pause(now() - leftMs);
        try {
          for (;;) {
            const bytes = conversation.takeChunk();
            if (bytes) {
              if (!take(bytes)) return conversation.isFullyRead ? "end" : "more";
            } else if (conversation.isComplete) {
              return "end";
            } else {
              await this.#step(conversation);
            }
          }
        } finally {
          leftMs = now();
        }
      },
      cancel: () => {
        const notice = conversation.cancel();
        // Nobody waits for it, and the socket may be closed already.
        if (notice) this.#peer.send(notice).catch(() => undefined);
        this.close();
      },
    };
  }

  close(): void {
    this.#peer.close();
  }

  /** Sends what there is to send, and takes in one datagram or the end of a wait. */
  async #step(conversation: ArdpExchange): Promise<void> {
    for (const datagram of conversation.takeDatagrams()) await this.#peer.send(datagram);
    const timeoutMs = conversation.deadlineMs - now();
    const datagram = await this.#peer.receive({ timeoutMs });
    if (!datagram) return conversation.onTimeout(now());
    const { queue } = conversation;
    conversation.receive(datagram, now());
    if (conversation.queue !== queue) this.#traceQueue(conversation.queue);
    if (conversation.redirect) await this.#followRedirect(conversation, conversation.redirect);
    else for (const answer of conversation.takeDatagrams()) await this.#peer.send(answer);
  }

  #traceQueue({ position, seconds }: NonNullable<ArdpExchange["queue"]> = {}): void {
    const places = position === undefined ? "" : `, place ${position}`;
    const time = seconds === undefined ? "" : `, ${seconds} seconds`;
    this.#context.trace({ action: "receive", text: `in the server's queue${places}${time}` });
  }

  async #followRedirect(
    conversation: ArdpExchange,
    { address, port }: { address: string; port: number },
  ): Promise<void> {
    const { limits } = this.#context;
    if (++this.#redirects > limits.maxProsperoForwards)
      throw limitError("maxProsperoForwards", limits, "the servers redirect for ever");
    this.#context.trace({ action: "redirect", text: `redirected to ${address} port ${port}` });
    const next = await this.#context.openDatagramSocket({ host: address, port }, { redirected: true });
    this.#peer.close();
    this.#peer = next;
    conversation.restart(now());
  }

  /** The next id; two ids of one socket are too near to each other for one to be the other with its bytes exchanged. */
  #nextConnectionId(): number {
    this.#cid = (this.#cid % 0xffff) + 1;
    return this.#cid;
  }
}
