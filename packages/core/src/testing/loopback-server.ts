import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, Server as TlsServer } from "node:tls";

/** A connection that a test server has accepted. */
export interface AcceptedConnection {
  /** The bytes that the client has sent so far. */
  readonly received: Buffer;
  /** The bytes that the server has sent so far. */
  readonly sent: Buffer;
  /** Settles when the connection is closed. */
  readonly closed: Promise<void>;
}

/** A test server on a free loopback port. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  readonly address: string;
  readonly connections: readonly AcceptedConnection[];
  /** Stops listening and closes every connection. */
  stop(): Promise<void>;
}

/** Records the bytes of a connection in both directions. */
export class ByteRecorder {
  readonly #received: Uint8Array[] = [];
  readonly #sent: Uint8Array[] = [];

  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  get sent(): Buffer {
    return Buffer.concat(this.#sent);
  }

  addReceived(bytes: Uint8Array): void {
    this.#received.push(bytes);
  }

  addSent(bytes: Uint8Array): void {
    this.#sent.push(bytes);
  }
}

/** Records the bytes of an accepted connection, and its end. */
export class AcceptedConnectionByteRecorder extends ByteRecorder implements AcceptedConnection {
  readonly closed: Promise<void>;

  constructor(socket: Socket) {
    super();
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
  }
}

/** The certificate of a TLS server, and its private key, both in PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export function createTcpOrTlsServer(tls: TestCertificate | undefined): Server {
  const options = { allowHalfOpen: true, noDelay: true };
  return tls ? createTlsServer({ ...options, ...tls }) : createServer(options);
}

/** Listens on a free port of a loopback address. Calls `onConnection` with each connection and its recording. */
export async function listenOnLoopback(
  server: Server,
  address: string,
  onConnection: (socket: Socket, recording: AcceptedConnectionByteRecorder) => void,
): Promise<LoopbackServer> {
  const connections: AcceptedConnectionByteRecorder[] = [];
  const sockets = new Set<Socket>();
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    const recording = new AcceptedConnectionByteRecorder(socket);
    connections.push(recording);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    onConnection(socket, recording);
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
