import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram";
import { AccessError } from "../errors/access-error.ts";
import type { DatagramSocket, ReceiveOptions } from "../scheme/context.ts";
import type { Endpoint } from "../scheme/plan.ts";
import { addressBytes, sameAddress } from "../policy/ip-address.ts";
import { admit } from "../policy/check.ts";
import type { Bound, Gate } from "./connector.ts";
import { reasonOf } from "../errors/network-reasons.ts";

/**
 * Opens the guarded door for datagrams: port rule, name rule, one look-up, address rule, as for connections. What comes from
 * any other address or port than the one that was checked is not delivered. Throws `refused-port`, `refused-name`,
 * `refused-address`, `unavailable`, `timeout`.
 */
export async function datagram(gate: Gate, target: Endpoint): Promise<DatagramSocket> {
  const addresses = await admit(gate, target);
  let failure: unknown;
  for (const address of addresses) {
    gate.signal.throwIfAborted();
    const peer = new Peer(gate, address, target.port);
    try {
      await peer.connect();
      gate.trace({ action: "connect", text: `${address} port ${target.port}, by datagrams` });
      return peer;
    } catch (error) {
      // There may be no way to an address of one family, and one to the other.
      peer.close();
      failure = error;
    }
  }
  throw failure;
}

/** Who waits for the next datagram. */
interface Waiting {
  resolve(bytes: Uint8Array | undefined): void;
  reject(error: unknown): void;
}

class Peer implements DatagramSocket, Bound {
  readonly #gate: Gate;
  readonly #address: string;
  readonly #port: number;
  readonly #socket: UdpSocket;
  #forget = (): void => undefined;
  readonly #held: Uint8Array[] = [];
  #remote = "";
  #waiting: Waiting | undefined;
  #failure: AccessError | undefined;
  #closed = false;

  constructor(gate: Gate, address: string, port: number) {
    this.#gate = gate;
    this.#address = address;
    this.#port = port;
    const family = addressBytes(address)?.length === 4 ? 4 : 6;
    this.#socket = createSocket({
      type: family === 4 ? "udp4" : "udp6",
      // Node would look up addresses too; what is one already is taken as it is, and everything else fails.
      lookup: (literal, _, callback) => callback(null, literal, family),
    });
    this.#socket.on("message", (bytes, from) => this.#deliver(bytes, from));
    this.#socket.on("error", (cause) => this.#fail(this.#refused(cause)));
    this.#forget = gate.bound(this);
  }

  async connect(): Promise<void> {
    await new Promise<unknown>((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#waiting = { resolve, reject };
      // Node calls back with an error where there is no way to the address, whatever its types say.
      const connected = (cause?: Error): void =>
        cause ? this.#fail(this.#refused(cause)) : this.#settle()?.resolve(undefined);
      this.#socket.connect(this.#port, this.#address, connected);
    });
    this.#gate.signal.throwIfAborted();
    this.#remote = this.#socket.remoteAddress().address;
    if (!sameAddress(this.#remote, this.#address))
      throw new AccessError("refused-address", `the peer is ${this.#remote} and not ${this.#address}`);
  }

  send(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#socket.send(bytes, (cause) => (cause ? reject(this.#refused(cause)) : resolve()));
    });
  }

  receive({ timeoutMs = Infinity, signal }: ReceiveOptions = {}): Promise<Uint8Array | undefined> {
    const { signal: ending } = this.#gate;
    const held = this.#held.shift();
    if (ending.aborted || signal?.aborted) return Promise.reject((ending.aborted ? ending : signal)?.reason);
    if (held) return Promise.resolve(held);
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#waiting) return Promise.reject(new Error("a receive is pending already"));
    return new Promise((resolve, reject) => {
      const signals = signal ? [ending, signal] : [ending];
      const abort = (): void => this.#settle()?.reject(signals.find(({ aborted }) => aborted)?.reason);
      const expire = (): void => this.#settle()?.resolve(undefined);
      const timer = timeoutMs === Infinity ? undefined : setTimeout(expire, Math.max(0, timeoutMs));
      const done = (): void => {
        clearTimeout(timer);
        for (const each of signals) each.removeEventListener("abort", abort);
      };
      for (const each of signals) each.addEventListener("abort", abort);
      this.#waiting = {
        resolve: (bytes) => (done(), resolve(bytes)),
        reject: (error) => (done(), reject(error)),
      };
    });
  }

  ref(): void {
    this.#socket.ref();
  }

  unref(): void {
    this.#socket.unref();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#forget();
    this.#socket.close();
    this.#held.length = 0;
    this.#fail(new AccessError("aborted", "the datagram socket was closed"));
  }

  #deliver(bytes: Uint8Array, { address, port }: RemoteInfo): void {
    // Between bind and connect, the system takes datagrams from anybody.
    if (address !== this.#remote || port !== this.#port) return;
    if (this.#waiting) this.#settle()?.resolve(bytes);
    // What nobody takes in time is lost, as it would be on the way.
    else if (this.#held.length < this.#gate.limits.maxQueuedDatagrams) this.#held.push(bytes);
  }

  #refused(cause: Error): AccessError {
    const what = `cannot send datagrams to ${this.#address} port ${this.#port}${reasonOf(cause)}`;
    return new AccessError("unavailable", what, { cause });
  }

  #fail(error: AccessError): void {
    this.#failure ??= error;
    this.#settle()?.reject(this.#failure);
  }

  #settle(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
