import type { Socket } from "node:net";
import {
  createTcpOrTlsServer,
  listenOnLoopback,
  type LoopbackServer,
  type AcceptedConnectionByteRecorder,
  type TestCertificate,
} from "./loopback-server.ts";

/** The server's side of a connection, which a script controls. */
export interface ScriptedPeer {
  /** Sends bytes. A sent string has one character per byte. */
  send(bytes: string | Uint8Array): void;
  /**
   * Reads the next line without its line end, one character per byte. Resolves to `undefined` when the client has ended
   * its side.
   */
  readLine(): Promise<string | undefined>;
  /** Reads `count` bytes, or fewer when the client ends earlier. */
  readBytes(count: number): Promise<Buffer>;
  /** Ends the test server's side of the connection. */
  end(): void;
  /** Resets the connection. */
  reset(): void;
  /** A promise that settles when the client has ended its side. A script that sends nothing awaits `closed`. */
  readonly closed: Promise<void>;
}

/** The script by which a test server serves one connection. The connection ends when the script returns. */
export type ServerScript = (peer: ScriptedPeer, connection: number) => Promise<void> | void;

/** Starts a server that follows a script, for replies that no real server sends. With `tls`, the server speaks TLS. */
export function startScriptedServer(
  script: ServerScript,
  options: { readonly address?: string; readonly tls?: TestCertificate } = {},
): Promise<LoopbackServer> {
  let count = 0;
  return listenOnLoopback(
    createTcpOrTlsServer(options.tls),
    options.address ?? "127.0.0.1",
    (socket, recording) => {
      const peer = createPeer(socket, recording);
      void Promise.resolve(script(peer, count++)).then(
        () => socket.end(),
        (error: unknown) => socket.destroy(error as Error),
      );
    },
  );
}

/**
 * Starts a server that sends nothing and records connections. Tests use the server to prove that a client does not
 * connect.
 */
export function startForbiddenServer(options: { address?: string } = {}): Promise<LoopbackServer> {
  return startScriptedServer((peer) => peer.closed, options);
}

function createPeer(socket: Socket, recording: AcceptedConnectionByteRecorder): ScriptedPeer {
  let unreadBytes = Buffer.alloc(0);
  let ended = false;
  let resumeReader = (): void => undefined;
  const notifyReader = (): void => resumeReader();
  socket.on("data", (bytes: Buffer) => {
    recording.addReceived(bytes);
    unreadBytes = Buffer.concat([unreadBytes, bytes]);
    notifyReader();
  });
  const closed = new Promise<void>((resolve) => {
    const finish = (): void => {
      ended = true;
      notifyReader();
      resolve();
    };
    socket.once("end", finish).once("close", finish);
  });
  /** Waits until `length` returns the number of bytes to take, or until the client has ended. */
  async function takeBytes(length: () => number | undefined): Promise<Buffer | undefined> {
    for (;;) {
      const count = length();
      if (count !== undefined || ended) {
        const piece = count === undefined ? undefined : unreadBytes.subarray(0, count);
        unreadBytes = unreadBytes.subarray(count ?? 0);
        return piece;
      }
      await new Promise<void>((resolve) => {
        resumeReader = resolve;
      });
    }
  }
  return {
    closed,
    send(bytes) {
      const buffer = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
      recording.addSent(buffer);
      socket.write(buffer);
    },
    async readLine() {
      const found = await takeBytes(() => {
        const end = unreadBytes.indexOf(0x0a);
        return end < 0 ? undefined : end + 1;
      });
      return found?.toString("latin1").replace(/\r?\n$/, "");
    },
    async readBytes(count) {
      const found = await takeBytes(() => (unreadBytes.length >= count ? count : undefined));
      if (found) return found;
      const rest = unreadBytes;
      unreadBytes = Buffer.alloc(0);
      return rest;
    },
    end: () => socket.end(),
    // `resetAndDestroy()` sends a FIN before the RST, so the client might notice only the end.
    reset: () => Object.assign(socket, { resetAndClosing: true }).destroy(),
  };
}
