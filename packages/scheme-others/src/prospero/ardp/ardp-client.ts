import { randomInt } from "node:crypto";
import { performance } from "node:perf_hooks";
import {
  type AccessContext,
  type OpenDatagramSocketOptions,
  type DatagramSocket,
  createLimitError,
  type ByteSource,
  type Endpoint,
} from "@anyscheme/core/plugin";
import { ArdpExchangeStateMachine } from "./ardp-exchange-state-machine.ts";

/** The part of `AccessContext` that `ArdpClient` uses. */
export type ArdpAccessContext = Pick<AccessContext, "openDatagramSocket" | "limits" | "trace">;

const readClockMs = (): number => performance.now();

/** Sends requests to a Prospero server over ARDP, in sequence on a single socket. */
export class ArdpClient {
  readonly #context: ArdpAccessContext;
  #peer: DatagramSocket;
  #connectionId: number = randomInt(1, 0x10000);
  #redirects = 0;

  private constructor(context: ArdpAccessContext, peer: DatagramSocket) {
    this.#context = context;
    this.#peer = peer;
  }

  /**
   * Opens a datagram socket that is connected to a Prospero server. Throws `refused-address` if the policy refuses the
   * address of the Prospero server.
   */
  static async open(
    context: ArdpAccessContext,
    target: Endpoint,
    options?: OpenDatagramSocketOptions,
  ): Promise<ArdpClient> {
    return new ArdpClient(context, await context.openDatagramSocket(target, options));
  }

  /**
   * Returns the Prospero server's reply to a request. The client sends the request when the caller first reads the
   * reply.
   */
  request(message: Uint8Array): ByteSource {
    const exchange = new ArdpExchangeStateMachine({
      message,
      connectionId: this.#nextConnectionId(),
      limits: this.#context.limits,
      nowMs: readClockMs(),
    });
    let lastReadMs = readClockMs();
    return {
      readChunks: async (onChunk) => {
        exchange.extendDeadlines(readClockMs() - lastReadMs);
        try {
          for (;;) {
            const bytes = exchange.takeChunk();
            if (bytes) {
              if (!onChunk(bytes)) return exchange.isFullyRead ? "end" : "more";
            } else if (exchange.isComplete) {
              return "end";
            } else {
              await this.#step(exchange);
            }
          }
        } finally {
          lastReadMs = readClockMs();
        }
      },
      cancel: () => {
        const notice = exchange.createCancelDatagram();
        // A Prospero server does not reply to an ARDP cancel packet. Sending the cancel packet fails if the
        // socket is already closed.
        if (notice) this.#peer.send(notice).catch(() => undefined);
        this.close();
      },
    };
  }

  close(): void {
    this.#peer.close();
  }

  /** Sends the pending datagrams, and processes a received datagram or a timeout. */
  async #step(exchange: ArdpExchangeStateMachine): Promise<void> {
    for (const datagram of exchange.takeDatagrams()) await this.#peer.send(datagram);
    const timeoutMs = exchange.deadlineMs - readClockMs();
    const datagram = await this.#peer.receive({ timeoutMs });
    if (!datagram) return exchange.onTimeout(readClockMs());
    const { queueState } = exchange;
    exchange.receive(datagram, readClockMs());
    if (exchange.queueState !== queueState) this.#traceQueue(exchange.queueState);
    if (exchange.redirectServer) await this.#followRedirect(exchange, exchange.redirectServer);
    else for (const answer of exchange.takeDatagrams()) await this.#peer.send(answer);
  }

  #traceQueue({
    position,
    expectedWaitSeconds: seconds,
  }: NonNullable<ArdpExchangeStateMachine["queueState"]> = {}): void {
    const place = position === undefined ? "" : `, position ${position}`;
    const time = seconds === undefined ? "" : `, ${seconds} seconds`;
    this.#context.trace({ action: "receive", text: `in the server's queue${place}${time}` });
  }

  async #followRedirect(
    exchange: ArdpExchangeStateMachine,
    { address, port }: { address: string; port: number },
  ): Promise<void> {
    const { limits } = this.#context;
    if (++this.#redirects > limits.maxProsperoForwards)
      throw createLimitError("maxProsperoForwards", limits, "the servers redirected the request too often");
    this.#context.trace({ action: "redirect", text: `redirected to ${address} port ${port}` });
    const next = await this.#context.openDatagramSocket(
      { host: address, port },
      { targetSentByServer: true },
    );
    this.#peer.close();
    this.#peer = next;
    exchange.resendToRedirectServer(readClockMs());
  }

  /**
   * Returns the ARDP connection id for the next request. Successive requests have consecutive ids, so that no id equals
   * a recent id with its bytes swapped.
   */
  #nextConnectionId(): number {
    this.#connectionId = (this.#connectionId % 0xffff) + 1;
    return this.#connectionId;
  }
}
