import { connect } from "node:net";

/**
 * Sends bytes to a server and returns all received bytes until the server closes the connection. The strings
 * have one character per byte.
 */
export function sendAndReceiveAll(port: number, bytes: string, host = "127.0.0.1"): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let received = "";
    socket.setTimeout(5000, () => socket.destroy(new Error(`no end after ${JSON.stringify(received)}`)));
    socket.on("data", (portion) => {
      received += portion.toString("latin1");
    });
    socket.once("error", reject);
    socket.once("end", () => resolve(received));
    socket.write(bytes, "latin1");
  });
}

/** Resolves to true when the port has a listener. */
export function isListening(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
