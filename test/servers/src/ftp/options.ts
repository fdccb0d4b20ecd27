import type { LoopbackAddress } from "../loopback.ts";
import type { RunningServer } from "../running-server.ts";
import type { Files } from "../throwaway-directory.ts";

/** How to start an FTP server; each one has its own refusals. */
export interface FtpServerOptions {
  /** Named users: name → password. They see the same files. Default none. */
  readonly users?: Readonly<Record<string, string>>;
  /** `explicit` offers AUTH TLS beside plain sessions; `implicit` speaks TLS from the first byte. Default `none`. */
  readonly tls?: "none" | "explicit" | "implicit";
  /** Default `127.0.0.1`. */
  readonly address?: LoopbackAddress;
  /** Files for the document root. Default `hello.txt`. */
  readonly files?: Files;
  /** Connections at a time; more are refused. Default 40. */
  readonly connections?: number;
  /** Entries of a listing at most; the rest is left out. Only pure-ftpd can. Default 10 000. */
  readonly listed?: number;
  /** Commands that are refused to everybody. Default none. */
  readonly denied?: readonly string[];
  /** Whether users may write, where the folder lets them. Default false. */
  readonly writable?: boolean;
}

/** A running FTP server with a certificate, when it speaks TLS. */
export interface FtpServer extends RunningServer {
  /** PEM file. */
  readonly certificate: string | undefined;
}

export const sampleFiles: Files = { "hello.txt": "hello\n" };
