import type { Socket } from "node:net";
import { listenOnLoopback, type LoopbackListener } from "./loopback-listener.ts";

/** One port for one data connection that the client opens. */
export interface PassivePort {
  readonly port: number;
  /** The client's connection, or undefined when it does not come in time. */
  connection(): Promise<Socket | undefined>;
  close(): Promise<void>;
}

/** Listens for a data connection; the first one counts. */
export async function openPassivePort(patienceMs: number): Promise<PassivePort> {
  let accept: (socket: Socket | undefined) => void = () => {};
  const accepted = new Promise<Socket | undefined>((resolve) => {
    accept = resolve;
  });
  const listener: LoopbackListener = await listenOnLoopback((socket) => {
    socket.pause();
    accept(socket);
  });
  return {
    port: listener.port,
    async connection() {
      const timer = setTimeout(() => accept(undefined), patienceMs);
      const socket = await accepted;
      clearTimeout(timer);
      return socket;
    },
    async close() {
      accept(undefined);
      await listener.stop();
    },
  };
}

/** Sends everything and closes. Resolves with false when the connection broke first. */
export function sendAndClose(socket: Socket, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once("finish", () => resolve(true));
    socket.once("close", () => resolve(false));
    socket.resume(); // the client has nothing to say here, but its end must be seen
    socket.end(bytes);
  });
}
