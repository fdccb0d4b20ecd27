import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A scripted server for ARDP, the transport protocol of Prospero over UDP. */
export interface ArdpServer extends AsyncDisposable {
  readonly port: number;
  /** The messages that the server received, with one character per byte. */
  readonly receivedMessages: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts a server that answers every message with datagrams. The parameter `id` is the ARDP connection id of two bytes.
 */
export async function startArdpServer(
  createReply: (message: string, id: Buffer) => readonly Buffer[],
  address = "127.0.0.1",
): Promise<ArdpServer> {
  const socket = createSocket("udp4");
  const messages: string[] = [];
  socket.on("message", (bytes, from) => {
    const message = bytes.subarray(bytes[0]).toString("latin1");
    // The ARDP test server does not reply to packets without data, which are acknowledgements and cancellations.
    if (message === "") return;
    messages.push(message);
    for (const packet of createReply(message, bytes.subarray(1, 3)))
      socket.send(packet, from.port, from.address);
  });
  socket.bind(0, address);
  await once(socket, "listening");
  const stop = (): Promise<void> => new Promise((resolve) => socket.close(() => resolve()));
  return { port: socket.address().port, receivedMessages: messages, stop, [Symbol.asyncDispose]: stop };
}

/**
 * Returns a packet of an ARDP message of `total` packets. In an ARDP header, the total 0 means that the number of
 * packets is not yet known.
 */
export function createArdpPacket(id: Buffer, number: number, total: number, data = ""): Buffer {
  const header = Buffer.from([7, ...id, number >> 8, number & 0xff, total >> 8, total & 0xff]);
  return Buffer.concat([header, Buffer.from(data)]);
}

/** Returns an ARDP packet that redirects the client to another server. */
export function createArdpRedirectPacket(id: Buffer, port: number): Buffer {
  return Buffer.from([19, ...id, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4, 127, 0, 0, 1, port >> 8, port & 0xff]);
}
