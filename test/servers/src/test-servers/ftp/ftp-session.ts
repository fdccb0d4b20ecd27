import type { Socket } from "node:net";
import { resolvePath, type ServedFileTree, type FileTreeNode } from "../file-tree.ts";
import { startFtpPassiveListener, sendAndClose, type FtpPassiveListener } from "./ftp-passive-listener.ts";

/** The files, the users and the settings that all sessions of an FTP test server share. */
export interface FtpTestServerState {
  readonly fileTree: ServedFileTree;
  readonly allowsAnonymous: boolean;
  /** The passwords of the FTP server's named users, by name. */
  readonly passwordsByUser: ReadonlyMap<string, string>;
  /** The modification time of every file on the FTP server. */
  readonly modifiedAt: Date;
  /** The time in milliseconds that the server waits for a data connection. */
  readonly dataConnectionTimeoutMs: number;
}

/** One client's FTP session, with the state that RFC 959 requires. */
export interface FtpTestServerSession {
  readonly serverState: FtpTestServerState;
  /** The argument of the last USER command. The session retains the FTP user name after the command PASS. */
  userName: string | undefined;
  loggedIn: boolean;
  currentFolder: string;
  transferType: "A" | "I";
  /** The offset in bytes that REST sets for the next RETR. */
  restartOffset: number;
  /** True after `EPSV ALL`, which forbids PASV and PORT (RFC 2428 §4). */
  allowsOnlyEpsv: boolean;
  resolvePath(path: string): string;
  findNode(path: string): FileTreeNode | undefined;
  /** Opens a passive port and closes an earlier passive port. Returns the number of the opened passive port. */
  listenForData(): Promise<number>;
  /** Sends bytes over the data connection. Sends the preliminary reply and returns the last reply. */
  sendData(bytes: Buffer, what: string): Promise<string>;
  /** Aborts a running FTP transfer. */
  abortTransfer(): void;
  closePassivePort(): Promise<void>;
}

/** Creates a session. `send` writes a preliminary reply to the control connection. */
export function createFtpTestServerSession(
  serverState: FtpTestServerState,
  send: (reply: string) => void,
): FtpTestServerSession {
  let passive: FtpPassiveListener | undefined;
  let data: Socket | undefined;

  const closePassivePort = async (): Promise<void> => {
    const port = passive;
    passive = undefined;
    await port?.close();
  };

  const session: FtpTestServerSession = {
    serverState,
    userName: undefined,
    loggedIn: false,
    currentFolder: "/",
    transferType: "A",
    restartOffset: 0,
    allowsOnlyEpsv: false,
    resolvePath: (path) => resolvePath(session.currentFolder, path),
    findNode: (path) => serverState.fileTree.findNode(session.resolvePath(path)),
    async listenForData() {
      await closePassivePort();
      passive = await startFtpPassiveListener(serverState.dataConnectionTimeoutMs);
      return passive.port;
    },
    async sendData(bytes, what) {
      if (passive === undefined) return "425 Use EPSV or PASV first.";
      data = await passive.waitForConnection();
      if (data === undefined) {
        await closePassivePort();
        return "425 Can't open data connection.";
      }
      send(`150 Opening data connection for ${what}.`);
      const complete = await sendAndClose(data, bytes);
      data = undefined;
      await closePassivePort();
      return complete ? "226 Transfer complete." : "426 Connection closed; transfer aborted.";
    },
    abortTransfer: () => data?.destroy(),
    closePassivePort,
  };
  return session;
}
