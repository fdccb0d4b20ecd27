import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A small server of our own, inside this process. */
export interface SmallServer extends AsyncDisposable {
  readonly address: "127.0.0.1";
  readonly port: number;
  /** Every line clients have sent, in order. */
  readonly transcript: readonly string[];
  /** Closes the port and every connection. May be called again. */
  stop(): Promise<void>;
}

/** A port of ours and the connections on it. */
export interface LoopbackListener {
  readonly port: number;
  stop(): Promise<void>;
}

const address = "127.0.0.1";

/** Listens on a port the system chooses, on 127.0.0.1 only. */
export function listenOnLoopback(onConnection: (socket: Socket) => void): Promise<LoopbackListener> {
  // Replies of a few bytes each would wait for the client's acknowledgements otherwise.
  return attachLoopback(createServer({ noDelay: true }, onConnection));
}

/** The same for a server made elsewhere, such as one of `node:http`. */
export async function attachLoopback(server: Server): Promise<LoopbackListener> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()); // a client that hangs up is no fault of ours
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

/** Presents a listener as a small server. */
export function smallServer(listener: LoopbackListener, transcript: readonly string[]): SmallServer {
  const stop = (): Promise<void> => listener.stop();
  return { address, port: listener.port, transcript, stop, [Symbol.asyncDispose]: stop };
}
