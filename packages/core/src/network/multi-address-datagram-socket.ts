import { performance } from "node:perf_hooks";
import { AccessError } from "../errors/access-error.ts";
import type { DatagramSocket, ReceiveDatagramOptions } from "../scheme/context.ts";

/**
 * A datagram socket for a host with several addresses, which the guard has checked. Until the first datagram arrives,
 * the socket changes to the next address if an address rejects datagrams or does not answer in time.
 */
export class MultiAddressDatagramSocket implements DatagramSocket {
  readonly #openTo: (address: string) => Promise<DatagramSocket>;
  readonly #maxRepeated: number;
  /** The addresses that the socket tries next. */
  readonly #others: string[];
  /** The datagrams that the socket sends again to the next address. */
  #sent: Uint8Array[] = [];
  #address = "";
  #socket: DatagramSocket | undefined;
  #hasReceived = false;
  #isClosed = false;

  private constructor(
    addresses: readonly string[],
    openTo: (address: string) => Promise<DatagramSocket>,
    maxRepeated: number,
  ) {
    this.#others = [...addresses];
    this.#openTo = openTo;
    this.#maxRepeated = maxRepeated;
  }

  /**
   * Opens a socket to the first reachable address. The socket sends at most `maxRepeated` datagrams again after a
   * change of the address. Throws the error of the last address if no address is reachable.
   */
  static async open(
    addresses: readonly string[],
    openTo: (address: string) => Promise<DatagramSocket>,
    maxRepeated: number,
  ): Promise<DatagramSocket> {
    const socket = new MultiAddressDatagramSocket(addresses, openTo, maxRepeated);
    await socket.#changeAddress(undefined);
    return socket;
  }

  async send(bytes: Uint8Array): Promise<void> {
    if (!this.#hasReceived && this.#sent.length < this.#maxRepeated) this.#sent.push(bytes);
    try {
      await this.#socket?.send(bytes);
    } catch (error) {
      await this.#changeAddress(error);
    }
  }

  async receive({ timeoutMs = Infinity, signal }: ReceiveDatagramOptions = {}): Promise<
    Uint8Array | undefined
  > {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      try {
        const bytes = await this.#socket?.receive({ timeoutMs: endMs - performance.now(), signal });
        if (bytes) this.#hasReceived = true;
        else await this.#changeAddressAfterTimeout();
        return bytes;
      } catch (error) {
        await this.#changeAddress(error);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.close();
  }

  /**
   * Changes to the next address, which receives the next datagrams of the caller. The address that did not answer
   * becomes the last address to try.
   */
  async #changeAddressAfterTimeout(): Promise<void> {
    if (this.#hasReceived || this.#others.length === 0) return;
    this.#others.push(this.#address);
    this.#sent = [];
    await this.#changeAddress(undefined);
  }

  /**
   * Changes to the next reachable address, and sends the earlier datagrams again. Throws the last error if no address
   * is left, and any error other than a rejected datagram at once.
   */
  async #changeAddress(error: unknown): Promise<void> {
    let failure = error;
    for (;;) {
      if (this.#isClosed) throw failure ?? createClosedSocketError();
      const isRejected = failure instanceof AccessError && failure.code === "unavailable";
      if (this.#hasReceived || (failure !== undefined && !isRejected)) throw failure;
      const address = this.#others.shift();
      if (address === undefined) throw failure;
      this.#socket?.close();
      try {
        await this.#changeTo(address);
        return;
      } catch (caught) {
        failure = caught;
      }
    }
  }

  async #changeTo(address: string): Promise<void> {
    const socket = await this.#openTo(address);
    this.#address = address;
    this.#socket = socket;
    if (this.#isClosed) {
      socket.close();
      throw createClosedSocketError();
    }
    for (const bytes of this.#sent) await socket.send(bytes);
  }
}

function createClosedSocketError(): AccessError {
  return new AccessError("aborted", "the datagram socket was closed");
}
