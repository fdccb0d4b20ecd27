import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** The connections that this process has opened since the call of {@link watchClientSocketReads}. */
export interface ClientSocketReadWatch extends Disposable {
  /**
   * Returns the number of bytes that the client has read from connections to the given port. Bytes in buffers of the
   * kernel do not count.
   */
  countBytesReadByClient(port: number): number;
  /** Settles when the client has stopped reading from connections to this port. */
  waitUntilClientStopsReading(port: number): Promise<void>;
}

/**
 * The number of event loop turns without progress after which a connection counts as stopped. Client and server are in
 * this process.
 */
const TURNS_WITHOUT_PROGRESS = 50;

/**
 * The channel on which Node.js publishes each socket that a client opens.
 * <https://nodejs.org/api/diagnostics_channel.html>
 */
const CLIENT_SOCKET_CHANNEL = "net.client.socket";

/**
 * Watches the connections that this process opens, for tests of back-pressure. Tests cannot use the progress of the
 * sender, because the kernel buffers an unknown number of bytes.
 */
export function watchClientSocketReads(): ClientSocketReadWatch {
  const sockets: { readonly socket: Socket; port?: number | undefined }[] = [];
  const addSocket = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    const opened: (typeof sockets)[number] = { socket };
    // A closed socket has no remote port.
    socket.once("connect", () => (opened.port = socket.remotePort));
    sockets.push(opened);
  };
  subscribe(CLIENT_SOCKET_CHANNEL, addSocket);
  const bytesTaken = (port: number): number =>
    sockets.filter((opened) => opened.port === port).reduce((sum, { socket }) => sum + socket.bytesRead, 0);
  return {
    countBytesReadByClient: bytesTaken,
    async waitUntilClientStopsReading(port) {
      for (let turns = 0, before = -1; turns < TURNS_WITHOUT_PROGRESS; turns++) {
        if (bytesTaken(port) !== before) turns = 0;
        before = bytesTaken(port);
        await new Promise(setImmediate);
      }
    },
    [Symbol.dispose]: () => void unsubscribe(CLIENT_SOCKET_CHANNEL, addSocket),
  };
}
