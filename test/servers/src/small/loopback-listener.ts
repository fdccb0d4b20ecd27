import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A small server in this process. */
export interface SmallServer extends AsyncDisposable {
  readonly address: "127.0.0.1";
  readonly port: number;
  /** Every line from the clients, in order. */
  readonly transcript: readonly string[];
  /** Closes the port and every connection. Further calls do nothing. */
  stop(): Promise<void>;
}

/** A listening port and its connections. */
export interface LoopbackListener {
  readonly port: number;
  stop(): Promise<void>;
}

const address = "127.0.0.1";

/** Listens on a port of 127.0.0.1 that the system chooses. */
export function listenOnLoopback(onConnection: (socket: Socket) => void): Promise<LoopbackListener> {
  // Without `noDelay`, short replies would wait for acknowledgements of the client.
  return listenWithServer(createServer({ noDelay: true }, onConnection));
}

/** Returns a listener for an existing server, such as one of `node:http`. */
export async function listenWithServer(server: Server): Promise<LoopbackListener> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()); // a disconnect by the client is not an error
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, address, resolve);
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

/** Returns a small server for a listener. */
export function createSmallServer(listener: LoopbackListener, transcript: readonly string[]): SmallServer {
  const stop = (): Promise<void> => listener.stop();
  return { address, port: listener.port, transcript, stop, [Symbol.asyncDispose]: stop };
}
