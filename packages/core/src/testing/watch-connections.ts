import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** The connections that this process has opened since the call of {@link watchConnections}. */
export interface ConnectionWatch extends Disposable {
  /** Returns the bytes that the client has read from its connections to this port, without those in buffers of the kernel. */
  bytesTaken(port: number): number;
  /** Settles when the client reads no more from them. */
  stopped(port: number): Promise<void>;
}

/** A connection counts as stopped after this many turns of the event loop without progress. Both ends are in this process. */
const TURNS = 50;

/** The channel on which Node.js publishes each socket that a client opens. <https://nodejs.org/api/diagnostics_channel.html> */
const CHANNEL = "net.client.socket";

/**
 * Watches the connections that this process opens, for tests of back pressure: how far a sender gets says nothing about the
 * client, since the kernel takes an unknown number of bytes from it.
 */
export function watchConnections(): ConnectionWatch {
  const sockets: { readonly socket: Socket; port?: number | undefined }[] = [];
  const note = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    const dialled: (typeof sockets)[number] = { socket };
    // A socket that is closed does not tell its port any more.
    socket.once("connect", () => (dialled.port = socket.remotePort));
    sockets.push(dialled);
  };
  subscribe(CHANNEL, note);
  const bytesTaken = (port: number): number =>
    sockets.filter((dialled) => dialled.port === port).reduce((sum, { socket }) => sum + socket.bytesRead, 0);
  return {
    bytesTaken,
    async stopped(port) {
      for (let turns = 0, before = -1; turns < TURNS; turns++) {
        if (bytesTaken(port) !== before) turns = 0;
        before = bytesTaken(port);
        await new Promise(setImmediate);
      }
    },
    [Symbol.dispose]: () => void unsubscribe(CHANNEL, note),
  };
}
