import { connect } from "node:net";

/** Sends octets to a server and gives everything it says until it closes, one character an octet. */
export function exchange(port: number, octets: string, host = "127.0.0.1"): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let received = "";
    socket.setTimeout(5000, () => socket.destroy(new Error(`no end after ${JSON.stringify(received)}`)));
    socket.on("data", (portion) => {
      received += portion.toString("latin1");
    });
    socket.once("error", reject);
    socket.once("end", () => resolve(received));
    socket.write(octets, "latin1");
  });
}

/** True when somebody listens on the port. */
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
