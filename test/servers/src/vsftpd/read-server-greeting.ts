import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";

const greetingTimeoutMs = 1000;

/**
 * Reads the first reply of an FTP server and sends QUIT. Resolves to the received text when the connection closes or
 * is idle for 1 s. The text is empty when no server listens at the port.
 */
export function readServerGreeting(host: string, port: number, tls: boolean): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = tls ? connectTls({ host, port, rejectUnauthorized: false }) : connectTcp({ host, port });
    socket.setTimeout(greetingTimeoutMs, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      if (received === "") socket.write("QUIT\r\n");
      received += bytes.toString("latin1");
    });
    socket.on("close", () => resolve(received));
  });
}
