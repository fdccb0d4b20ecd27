import type { LoopbackAddress } from "../loopback.ts";
import type { RunningServer } from "../running-server.ts";
import type { ServedFiles } from "../throwaway-directory.ts";

/** Options of an FTP server. Some servers support only some of them. */
export interface FtpServerOptions {
  /** Named users: name → password. They have access to the same files. Default none. */
  readonly users?: Readonly<Record<string, string>>;
  /** `explicit` offers AUTH TLS and plain sessions; `implicit` uses TLS from the first byte. Default `none`. */
  readonly tls?: "none" | "explicit" | "implicit";
  /** The address to listen on. Default `127.0.0.1`. */
  readonly address?: LoopbackAddress;
  /** Files for the document root. Default `hello.txt`. */
  readonly files?: ServedFiles;
  /** The maximum of concurrent connections. Default 40. */
  readonly maxConnections?: number;
  /** The maximum of entries in a listing. Only for pure-ftpd. Default 10 000. */
  readonly maxListedEntries?: number;
  /** Commands that are refused to all users. Default none. */
  readonly deniedCommands?: readonly string[];
  /** True when users may write, where the permissions of the folder allow it. Default false. */
  readonly writable?: boolean;
}

/** A running FTP server, with a certificate when it uses TLS. */
export interface FtpServer extends RunningServer {
  /** The path of a PEM file. */
  readonly certificate: string | undefined;
}

export const sampleFtpFiles: ServedFiles = { "hello.txt": "hello\n" };
