import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { type AcceptedConnection, ByteRecorder, type LoopbackServer } from "./loopback-server.ts";

/** A client of the proxy, with the socket that the proxy uses for its datagrams. */
class DatagramProxyClient extends ByteRecorder implements AcceptedConnection {
  readonly upstream: Socket;
  readonly #port: number;

  constructor(port: number, upstream: Socket) {
    super();
    this.#port = port;
    this.upstream = upstream;
  }

  /** Settles when the client has closed its datagram socket, so that its port is free again. */
  get closed(): Promise<void> {
    return waitUntilPortIsFree(this.#port);
  }
}

/**
 * Starts a recording proxy for a datagram server. `message` returns the recorded bytes of a datagram, without the
 * header of the protocol.
 */
export async function startDatagramRecordingProxy(
  port: number,
  message: (datagram: Uint8Array) => Uint8Array,
): Promise<LoopbackServer> {
  const address = "127.0.0.1";
  const front = createSocket("udp4");
  const connections: DatagramProxyClient[] = [];

  async function getClientSocket(clientPort: number): Promise<DatagramProxyClient> {
    const upstream = createSocket("udp4");
    const client = new DatagramProxyClient(clientPort, upstream);
    connections.push(client);
    upstream.on("message", (bytes) => {
      client.addSent(message(bytes));
      front.send(bytes, clientPort, address, () => undefined);
    });
    upstream.on("error", () => undefined);
    upstream.connect(port, address);
    await once(upstream, "connect");
    return client;
  }

  const known = new Map<number, Promise<DatagramProxyClient>>();
  front.on("message", (bytes, from) => {
    const client = known.get(from.port) ?? getClientSocket(from.port);
    known.set(from.port, client);
    void client.then((found) => {
      found.addReceived(message(bytes));
      found.upstream.send(bytes, () => undefined);
    });
  });
  front.bind(0, address);
  await once(front, "listening");

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= new Promise((resolve) => {
      for (const { upstream } of connections) upstream.close();
      front.close(() => resolve());
    }));
  return {
    port: front.address().port,
    address,
    connections,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function waitUntilPortIsFree(port: number): Promise<void> {
  for (;;) {
    const probe = createSocket("udp4");
    const free = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false));
      probe.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(true));
    });
    probe.close();
    if (free) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
