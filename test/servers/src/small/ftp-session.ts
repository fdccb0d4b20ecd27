import type { Socket } from "node:net";
import { resolvePath, type FileTree, type TreeNode } from "./file-tree.ts";
import { openPassivePort, sendAndClose, type PassivePort } from "./ftp-passive.ts";

/** The data that all sessions of one server share. */
export interface FtpSite {
  readonly tree: FileTree;
  readonly anonymous: boolean;
  /** Name → password. */
  readonly users: ReadonlyMap<string, string>;
  /** The modification time of every file. */
  readonly modified: Date;
  /** The timeout of a passive port in milliseconds. */
  readonly dataPatienceMs: number;
}

/** One client's session, with the state that RFC 959 requires. */
export interface FtpSession {
  readonly site: FtpSite;
  /** The argument of the last USER command, also after PASS. */
  user: string | undefined;
  loggedIn: boolean;
  folder: string;
  type: "A" | "I";
  /** Set by REST for the next RETR, in bytes. */
  restartAt: number;
  /** True after `EPSV ALL`, which forbids PASV and PORT (RFC 2428 §4). */
  epsvOnly: boolean;
  resolve(path: string): string;
  find(path: string): TreeNode | undefined;
  /** Opens a passive port in place of an earlier one. Returns its number. */
  listen(): Promise<number>;
  /** Sends bytes over the data connection. Sends the preliminary replies and returns the last one. */
  transfer(bytes: Buffer, what: string): Promise<string>;
  /** Aborts a running transfer. */
  abort(): void;
  close(): Promise<void>;
}

/** Creates a session. `send` writes a preliminary reply to the control connection. */
export function createFtpSession(site: FtpSite, send: (reply: string) => void): FtpSession {
  let passive: PassivePort | undefined;
  let data: Socket | undefined;

  const closePassive = async (): Promise<void> => {
    const port = passive;
    passive = undefined;
    await port?.close();
  };

  const session: FtpSession = {
    site,
    user: undefined,
    loggedIn: false,
    folder: "/",
    type: "A",
    restartAt: 0,
    epsvOnly: false,
    resolve: (path) => resolvePath(session.folder, path),
    find: (path) => site.tree.find(session.resolve(path)),
    async listen() {
      await closePassive();
      passive = await openPassivePort(site.dataPatienceMs);
      return passive.port;
    },
    async transfer(bytes, what) {
      if (passive === undefined) return "425 Use EPSV or PASV first.";
      data = await passive.connection();
      if (data === undefined) {
        await closePassive();
        return "425 Can't open data connection.";
      }
      send(`150 Opening data connection for ${what}.`);
      const complete = await sendAndClose(data, bytes);
      data = undefined;
      await closePassive();
      return complete ? "226 Transfer complete." : "426 Connection closed; transfer aborted.";
    },
    abort: () => data?.destroy(),
    close: closePassive,
  };
  return session;
}
