import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram";
import { AccessError } from "../errors/access-error.ts";
import { describeNetworkFailure } from "../errors/network-failures.ts";
import { resolveAndCheckTarget } from "../policy/check-target.ts";
import { parseIpAddress, isSameAddress } from "../policy/ip-address.ts";
import type { DatagramSocket, ReceiveDatagramOptions } from "../scheme/context.ts";
import type { Endpoint } from "../scheme/plan.ts";
import { prependFailedActionToErrorReason } from "./connect.ts";
import type { GuardContext, CloseableHandle } from "./guard-context.ts";
import { addLinkLocalZone } from "./link-local-zone.ts";
import { MultiAddressDatagramSocket } from "./multi-address-datagram-socket.ts";

/**
 * Opens a datagram socket to an allowed target. The guard applies the same rules as for TCP connections. The socket
 * drops datagrams from any other address or port. Before the first datagram arrives, the socket changes to the next
 * address of the host if an address rejects datagrams or does not answer. Throws `unsupported` with a proxy,
 * `refused-port`, `refused-name`, `refused-address`, `unavailable`, `timeout`.
 */
export async function openDatagramSocket(context: GuardContext, target: Endpoint): Promise<DatagramSocket> {
  if (context.proxy)
    throw new AccessError("unsupported", "a protocol with datagrams (UDP) cannot use a proxy", {
      advice: "use no proxy for this URL",
    });
  const addresses = await resolveAndCheckTarget(context, target);
  const openTo = async (address: string): Promise<DatagramSocket> => {
    context.signal.throwIfAborted();
    return openDatagramSocketTo(context, address, target.port);
  };
  const [only] = addresses;
  return addresses.length === 1 && only !== undefined
    ? openTo(only)
    : MultiAddressDatagramSocket.open(addresses, openTo, context.limits.maxQueuedDatagrams);
}

async function openDatagramSocketTo(
  context: GuardContext,
  address: string,
  port: number,
): Promise<DatagramSocket> {
  const host = addZoneForDatagrams(context, address);
  const socket = new CheckedDatagramSocket(context, host, port);
  try {
    await socket.connect();
    context.trace({ action: "connect", text: `${host} port ${port}, by datagrams` });
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

function addZoneForDatagrams({ linkLocalZone, signal }: GuardContext, address: string): string {
  try {
    return addLinkLocalZone(linkLocalZone, address);
  } catch (error) {
    throw prependFailedActionToErrorReason(error, `cannot send datagrams to ${address}`, signal);
  }
}

interface PendingReceive {
  resolve(bytes: Uint8Array | undefined): void;
  reject(error: unknown): void;
}

class CheckedDatagramSocket implements DatagramSocket, CloseableHandle {
  readonly #context: GuardContext;
  readonly #address: string;
  readonly #port: number;
  readonly #socket: UdpSocket;
  #onClose = (): void => undefined;
  readonly #queue: Uint8Array[] = [];
  #remoteAddress = "";
  #pending: PendingReceive | undefined;
  #failure: AccessError | undefined;
  #isClosed = false;

  constructor(context: GuardContext, address: string, port: number) {
    this.#context = context;
    this.#address = address;
    this.#port = port;
    const family = parseIpAddress(address)?.length === 4 ? 4 : 6;
    this.#socket = createSocket({
      type: family === 4 ? "udp4" : "udp6",
      // Node.js calls `lookup` for IP addresses too. This `lookup` function returns the IP address unchanged.
      lookup: (literal, _, callback) => callback(null, literal, family),
    });
    this.#socket.on("message", (bytes, from) => this.#receive(bytes, from));
    this.#socket.on("error", (cause) => this.#fail(this.#sendError(cause)));
    this.#onClose = context.onDatagramSocket(this);
  }

  async connect(): Promise<void> {
    if (this.#failure) throw this.#failure;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending = { resolve, reject };
    // Node.js passes an error if there is no route to the address. The type definitions of Node.js omit the error
    // parameter of the callback of `connect`.
    this.#socket.connect(this.#port, this.#address, (cause?: Error) =>
      cause ? this.#fail(this.#sendError(cause)) : this.#takePending()?.resolve(undefined),
    );
    await promise;
    this.#context.signal.throwIfAborted();
    this.#remoteAddress = this.#socket.remoteAddress().address;
    if (!isSameAddress(this.#remoteAddress, this.#address))
      throw new AccessError(
        "refused-address",
        `the connection leads to ${this.#remoteAddress} and not to the checked address ${this.#address}`,
      );
  }

  send(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#socket.send(bytes, (cause) => (cause ? reject(this.#sendError(cause)) : resolve()));
    });
  }

  receive({ timeoutMs = Infinity, signal }: ReceiveDatagramOptions = {}): Promise<Uint8Array | undefined> {
    const either = signal ? AbortSignal.any([this.#context.signal, signal]) : this.#context.signal;
    if (either.aborted) return Promise.reject(either.reason);
    const bytes = this.#queue.shift();
    if (bytes) return Promise.resolve(bytes);
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#pending) return Promise.reject(new Error("a receive is pending already"));
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
    this.#pending = { resolve, reject };
    const abort = (): void => this.#takePending()?.reject(either.reason);
    const expire = (): void => this.#takePending()?.resolve(undefined);
    const timer = timeoutMs === Infinity ? undefined : setTimeout(expire, Math.max(0, timeoutMs));
    either.addEventListener("abort", abort);
    return promise.finally(() => {
      clearTimeout(timer);
      either.removeEventListener("abort", abort);
    });
  }

  ref(): void {
    this.#socket.ref();
  }

  unref(): void {
    this.#socket.unref();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
    this.#socket.close();
    this.#queue.length = 0;
    this.#fail(new AccessError("aborted", "the datagram socket was closed"));
  }

  #receive(bytes: Uint8Array, { address, port }: RemoteInfo): void {
    // Between `bind` and `connect`, the system accepts datagrams from any sender.
    if (address !== this.#remoteAddress || port !== this.#port) return;
    if (this.#pending) this.#takePending()?.resolve(bytes);
    // Datagrams beyond `maxQueuedDatagrams` are dropped, as a network may drop datagrams.
    else if (this.#queue.length < this.#context.limits.maxQueuedDatagrams) this.#queue.push(bytes);
  }

  #sendError(cause: Error): AccessError {
    const reason = `cannot send datagrams to ${this.#address} port ${this.#port}: ${describeNetworkFailure(cause)}`;
    return new AccessError("unavailable", reason, { cause });
  }

  #fail(error: AccessError): void {
    this.#failure ??= error;
    this.#takePending()?.reject(this.#failure);
  }

  #takePending(): PendingReceive | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }
}
