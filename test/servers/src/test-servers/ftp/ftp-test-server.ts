import type { Socket } from "node:net";
import type { ServedFiles } from "../../temporary-directory.ts";
import { createInMemoryFileTree } from "../file-tree.ts";
import { handleReceivedFtpCommand } from "./ftp-commands.ts";
import { createFtpTestServerSession, type FtpTestServerState } from "./ftp-session.ts";
import { createLineSplitter } from "../line-splitter.ts";
import { listenOnLoopback, wrapListenerAsTestServer, type TestServer } from "../loopback-listener.ts";

/** Options of the FTP test server. */
export interface FtpTestServerOptions {
  readonly files: ServedFiles;
  /** True when the users `anonymous` and `ftp` may log in with any password. Default true. */
  readonly anonymous?: boolean;
  /** The passwords of the FTP server's named users, by name. Default none. */
  readonly users?: Readonly<Record<string, string>>;
  /** The modification time of every file on the FTP server. Default 2026-01-01T00:00:00Z. */
  readonly modifiedAt?: Date;
  /** The time in milliseconds that the server waits for a data connection before reply 425. Default 5000. */
  readonly dataConnectionTimeoutMs?: number;
}

/** The maximum length of a command line in bytes, which is longer than the paths of test files. */
const maxCommandBytes = 4096;

/**
 * Starts a read-only FTP server for files in memory. The server implements RFC 959, 2428 and 3659, with passive
 * connections only.
 */
export async function startFtpTestServer(options: FtpTestServerOptions): Promise<TestServer> {
  const { files, anonymous = true, users = {}, modifiedAt = new Date(Date.UTC(2026, 0, 1)) } = options;
  const serverState: FtpTestServerState = {
    fileTree: createInMemoryFileTree(files),
    allowsAnonymous: anonymous,
    passwordsByUser: new Map(Object.entries(users)),
    modifiedAt,
    dataConnectionTimeoutMs: options.dataConnectionTimeoutMs ?? 5000,
  };
  const receivedLines: string[] = [];
  const listener = await listenOnLoopback((socket) => serveFtpSession(socket, serverState, receivedLines));
  return wrapListenerAsTestServer(listener, receivedLines);
}

function serveFtpSession(socket: Socket, serverState: FtpTestServerState, receivedLines: string[]): void {
  const send = (reply: string): void => {
    if (socket.writable) socket.write(`${reply}\r\n`);
  };
  const session = createFtpTestServerSession(serverState, send);
  const lines = createLineSplitter(maxCommandBytes);
  let previous: Promise<void> = Promise.resolve();

  const answer = async (line: string): Promise<void> => {
    if (!socket.writable) return;
    const reply = await handleReceivedFtpCommand(session, line);
    send(reply);
    if (reply.startsWith("221")) socket.end();
  };

  send("220 An FTP test server.");
  socket.on("close", () => {
    session.abortTransfer();
    void session.closePassivePort();
  });
  socket.on("data", (bytes) => {
    for (const line of lines.addBytes(bytes)) {
      receivedLines.push(line);
      // ABOR must not wait for the end of the running transfer (RFC 959 §4.1.3).
      if (/^ABOR$/i.test(line)) session.abortTransfer();
      previous = previous.then(() => answer(line)).catch(() => void socket.destroy());
    }
    if (lines.exceededLineLimit) socket.end("500 Command line too long.\r\n");
  });
}
