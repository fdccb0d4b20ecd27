import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

/** A connection that a server has accepted. */
export interface Connection {
  /** The bytes that the client has sent so far. */
  readonly received: Buffer;
  /** The bytes that the server has sent so far. */
  readonly answered: Buffer;
  /** Settles when the connection is closed. */
  readonly closed: Promise<void>;
}

/** A server on a free loopback port. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  readonly address: string;
  readonly connections: readonly Connection[];
  /** Closes the port and every connection. */
  stop(): Promise<void>;
}

/** Records the bytes of a connection in both directions. */
export class Recording implements Connection {
  readonly closed: Promise<void>;
  readonly #received: Uint8Array[] = [];
  readonly #answered: Uint8Array[] = [];

  constructor(socket: Socket) {
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
  }

  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  get answered(): Buffer {
    return Buffer.concat(this.#answered);
  }

  notice(bytes: Uint8Array): void {
    this.#received.push(bytes);
  }

  noticeAnswer(bytes: Uint8Array): void {
    this.#answered.push(bytes);
  }
}

/** Listens on a free port of a loopback address. Calls `take` with each connection and its recording. */
export async function listen(
  server: Server,
  address: string,
  take: (socket: Socket, recording: Recording) => void,
): Promise<LoopbackServer> {
  const connections: Recording[] = [];
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    const recording = new Recording(socket);
    connections.push(recording);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    take(socket, recording);
  });
  server.listen(0, address);
  await once(server, "listening");
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port: (server.address() as AddressInfo).port,
    address,
    connections,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
