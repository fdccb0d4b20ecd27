import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A scripted ARDP server on UDP. */
export interface ArdpServer extends AsyncDisposable {
  readonly port: number;
  /** The received messages, one character per byte. */
  readonly messages: readonly string[];
  stop(): Promise<void>;
}

/** Starts a server that sends these datagrams for every message. `id` is the connection id of two bytes. */
export async function startArdpServer(
  answer: (message: string, id: Buffer) => readonly Buffer[],
  address = "127.0.0.1",
): Promise<ArdpServer> {
  const socket = createSocket("udp4");
  const messages: string[] = [];
  socket.on("message", (bytes, from) => {
    const message = bytes.subarray(bytes[0]).toString("latin1");
    // Acknowledgements and cancels get no reply.
    if (message === "") return;
    messages.push(message);
    for (const packet of answer(message, bytes.subarray(1, 3))) socket.send(packet, from.port, from.address);
  });
  socket.bind(0, address);
  await once(socket, "listening");
  const stop = (): Promise<void> => new Promise((resolve) => socket.close(() => resolve()));
  return { port: socket.address().port, messages, stop, [Symbol.asyncDispose]: stop };
}
