import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A server of the datagrams of ARDP, for answers that no real server gives. */
export interface DatagramServer extends AsyncDisposable {
  readonly port: number;
  /** The messages that came, one character a byte. */
  readonly messages: readonly string[];
  stop(): Promise<void>;
}

/** Starts one that answers every message with these datagrams; `id` are the two bytes that name the conversation. */
export async function startDatagramServer(
  answer: (message: string, id: Buffer) => readonly Buffer[],
  address = "127.0.0.1",
): Promise<DatagramServer> {
  const socket = createSocket("udp4");
  const messages: string[] = [];
  socket.on("message", (bytes, from) => {
    const message = bytes.subarray(bytes[0]).toString("latin1");
    // An acknowledgement, or a cancel, is nothing to answer.
    if (message === "") return;
    messages.push(message);
    for (const packet of answer(message, bytes.subarray(1, 3))) socket.send(packet, from.port, from.address);
  });
  socket.bind(0, address);
  await once(socket, "listening");
  const stop = (): Promise<void> => new Promise((resolve) => socket.close(() => resolve()));
  return { port: socket.address().port, messages, stop, [Symbol.asyncDispose]: stop };
}
