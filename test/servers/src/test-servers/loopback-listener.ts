import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A test server that runs in this process. */
export interface TestServer extends AsyncDisposable {
  readonly address: "127.0.0.1";
  readonly port: number;
  /** The lines that clients have sent, in order. */
  readonly receivedLines: readonly string[];
  /** Closes the port and all connections of the server. Further calls do nothing. */
  stop(): Promise<void>;
}

/** A listening port and its connections. */
export interface LoopbackListener {
  readonly port: number;
  stop(): Promise<void>;
}

const loopbackAddress = "127.0.0.1";

/** Listens on a free port of 127.0.0.1. */
export function listenOnLoopback(onConnection: (socket: Socket) => void): Promise<LoopbackListener> {
  // Without `noDelay`, short replies would wait for acknowledgements of the client.
  return listenOnFreeLoopbackPort(createServer({ noDelay: true }, onConnection));
}

/** Makes an existing server, such as one of `node:http`, listen on a free port of 127.0.0.1. */
export async function listenOnFreeLoopbackPort(server: Server): Promise<LoopbackListener> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()); // a disconnect by the client is not an error
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, loopbackAddress, resolve);
  });
  let stopped: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      (stopped ??= new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      })),
  };
}

/** Returns a test server with the port of a listener and the lines that it receives. */
export function wrapListenerAsTestServer(
  listener: LoopbackListener,
  receivedLines: readonly string[],
): TestServer {
  const stop = (): Promise<void> => listener.stop();
  return { address: loopbackAddress, port: listener.port, receivedLines, stop, [Symbol.asyncDispose]: stop };
}
