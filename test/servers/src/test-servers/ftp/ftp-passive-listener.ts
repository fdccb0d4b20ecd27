import type { Socket } from "node:net";
import { listenOnLoopback, type LoopbackListener } from "../loopback-listener.ts";

/** A port for one FTP data connection from the client. */
export interface FtpPassiveListener {
  readonly port: number;
  /** Resolves to the client's data connection, or to undefined after the timeout. */
  waitForConnection(): Promise<Socket | undefined>;
  close(): Promise<void>;
}

/** Listens for an FTP data connection of a client. The FTP server uses only the first connection to the port. */
export async function startFtpPassiveListener(timeoutMs: number): Promise<FtpPassiveListener> {
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
    async waitForConnection() {
      const timer = setTimeout(() => accept(undefined), timeoutMs);
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

/**
 * Sends bytes and closes the FTP data connection. Resolves to false when the data connection closes before all bytes
 * are sent.
 */
export function sendAndClose(socket: Socket, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once("finish", () => resolve(true));
    socket.once("close", () => resolve(false));
    socket.resume(); // the client sends no data here, but its end must be detected
    socket.end(bytes);
  });
}
