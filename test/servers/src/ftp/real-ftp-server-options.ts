import type { LoopbackAddress } from "../loopback.ts";
import type { RunningServer } from "../running-server.ts";
import type { ServedFiles } from "../temporary-directory.ts";

/**
 * The server ports of passive FTP data connections. Without a range, servers also choose ports that the guard refuses,
 * such as 6697. Linux uses the ports up to 60999 for outgoing connections.
 */
export const PASSIVE_PORT_RANGE = { first: 61_000, last: 65_535 } as const;

/** Options of a real FTP server. Some FTP server programs support only some of these options. */
export interface RealFtpServerOptions {
  /**
   * The passwords of the FTP server's named users, by name. All named users of the FTP server have access to the same
   * files. Default none.
   */
  readonly users?: Readonly<Record<string, string>>;
  /** `explicit` offers AUTH TLS and plain sessions; `implicit` uses TLS from the first byte. Default `none`. */
  readonly tls?: "none" | "explicit" | "implicit";
  /** The address on which the FTP server listens. Default `127.0.0.1`. */
  readonly address?: LoopbackAddress;
  /** The files in the FTP server's document root, by path. Default `hello.txt`. */
  readonly files?: ServedFiles;
  /** The maximum number of concurrent connections to the FTP server. Default 40. */
  readonly maxConnections?: number;
  /** The maximum number of entries in the server's listing of a directory. Only for pure-ftpd. Default 10 000. */
  readonly maxListedEntries?: number;
  /** The FTP commands that the server refuses. Default none. */
  readonly deniedCommands?: readonly string[];
  /** True when users may write, where the permissions of the folder allow it. Default false. */
  readonly writable?: boolean;
}

/** A running FTP server, with a certificate when it uses TLS. */
export interface RunningFtpServer extends RunningServer {
  /** The path of the server's certificate in PEM format, or undefined without TLS. */
  readonly certificatePath: string | undefined;
}

export const sampleFtpFiles: ServedFiles = { "hello.txt": "hello\n" };
