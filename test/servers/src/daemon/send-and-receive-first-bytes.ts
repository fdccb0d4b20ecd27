import { connect } from "node:net";

/**
 * Sends bytes to a loopback port and returns the first bytes of the answer, one character for each byte. Returns an
 * empty text when no server listens on the port.
 */
export function sendAndReceiveFirstBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const finish = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", () => socket.write(bytes, "latin1"));
    socket.on("data", (answer) => finish(answer.toString("latin1")));
    socket.on("error", () => finish("")).on("end", () => finish(""));
  });
}
