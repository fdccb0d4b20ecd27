import { AccessError } from "../errors/access-error.ts";
import { checkOptions, wrongOption } from "../options/check-options.ts";
import * as kind from "../options/option-kinds.ts";

/** The limits of a request. A caller may raise each one, up to `Infinity`. */
export interface Limits {
  /** Longest URL, in UTF-16 units. Default 65 536. */
  readonly maxUrlLength: number;
  /** The time up to the first byte of the body, in milliseconds, as all limits whose names end in `Ms`. Default 120 000. */
  readonly callTimeoutMs: number;
  /** The time of one name look-up. Default 5 000. */
  readonly dnsTimeoutMs: number;
  /** The time of all attempts to connect to one host, and of TLS. Default 10 000. */
  readonly connectTimeoutMs: number;
  /** The wait for the first bytes of a response or reply. Default 30 000. */
  readonly firstByteTimeoutMs: number;
  /** The longest pause in the middle of a response or body. Default 30 000. */
  readonly idleTimeoutMs: number;
  /** The time of a whole body. Default `Infinity`, since a large file takes long. */
  readonly bodyTimeoutMs: number;
  /** Body bytes that `bytes()`, `text()`, `json()` and `blob()` collect. Default 100 MiB. */
  readonly maxBodyBytes: number;
  /** Body bytes of a stream or `saveTo`. Default `Infinity`: the reader bounds the stream. */
  readonly maxStreamBytes: number;
  /** Redirects from one URL to another. Default 5. */
  readonly maxRedirects: number;
  /** Open connections of one client to one host and port, idle ones included. Further requests wait. Default 8. */
  readonly maxConnectionsPerHost: number;
  /** Addresses of one host. Default 16. */
  readonly maxAddresses: number;
  /** A header section in bytes. Default 64 KiB. */
  readonly maxHeaderBytes: number;
  /** Lines of a header section. Default 200. */
  readonly maxHeaderLines: number;
  /** Interim (1xx) responses of HTTP before the final one. Default 10. */
  readonly maxInterimResponses: number;
  /** Content codings of one HTTP response. Default 2. */
  readonly maxContentCodings: number;
  /** Decoded bytes for each encoded byte, on average, after the first 1 MiB. Default 200. */
  readonly maxDecodedRatio: number;
  /**
   * Bytes received for a body, codings and framing included, as a multiple of `maxBodyBytes`, or of `maxStreamBytes` where the
   * body is not collected; 1 MiB is always allowed. Default 2.
   */
  readonly maxEncodedRatio: number;
  /**
   * Bytes of an HTTP response in a row that yield no content: interim responses, chunk extensions, codings whose output is
   * empty. Default 1 MiB.
   */
  readonly maxBytesWithoutContent: number;
  /** One line of an FTP reply in bytes. Default 4 096. */
  readonly maxReplyLineBytes: number;
  /** A whole FTP reply in bytes, and all replies that no command asked for. Default 64 KiB. */
  readonly maxReplyBytes: number;
  /** One FTP command in bytes, its line end included. Default 512: some servers cut longer commands and run the rest as another command. */
  readonly maxCommandBytes: number;
  /** Directories in an FTP path. Default 64. */
  readonly maxDirectoryDepth: number;
  /** Steps of a plan, without the replies it expects. Default 100. */
  readonly maxSteps: number;
  /** A listing in bytes. Default 16 MiB. */
  readonly maxListingBytes: number;
  /** Entries of a listing. Default 100 000. */
  readonly maxListingEntries: number;
  /** One line of a listing in bytes. Default 8 192. */
  readonly maxListingLineBytes: number;
  /** One line of a Gopher menu in bytes. Default 4 096. */
  readonly maxGopherLineBytes: number;
  /** One APDU of a WAIS server in bytes. Default 4 MiB. */
  readonly maxWaisApduBytes: number;
  /** One line of an NNTP reply, list or overview in bytes; the lines of an article have no limit of their own. Default 8 192. */
  readonly maxNntpLineBytes: number;
  /** Datagrams that have arrived and were not received yet. Further ones are dropped. Default 256. */
  readonly maxQueuedDatagrams: number;
  /** Packets of a Prospero reply that are buffered while an earlier one is missing. Default 64, four windows. */
  readonly maxProsperoPackets: number;
  /** Links of a Prospero directory. Default 10 000. */
  readonly maxProsperoLinks: number;
  /** Forwards from one Prospero server or name to another. Default 5. */
  readonly maxProsperoForwards: number;
  /** The longest wait for the next data that a Prospero server may ask for, in all. Default 90 000. */
  readonly maxProsperoWaitMs: number;
  /** Replies to Telnet option negotiations between two inputs of the user. Default 64. */
  readonly maxOptionChanges: number;
  /** The parameters of one Telnet subnegotiation in bytes. Default 4 096. */
  readonly maxSubnegotiationBytes: number;
  /** The longest pause on both sides of an interactive session. Default 600 000. */
  readonly sessionIdleTimeoutMs: number;
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxUrlLength: 65_536,
  callTimeoutMs: 120_000,
  dnsTimeoutMs: 5_000,
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 30_000,
  idleTimeoutMs: 30_000,
  bodyTimeoutMs: Infinity,
  maxBodyBytes: 104_857_600,
  maxStreamBytes: Infinity,
  maxRedirects: 5,
  maxConnectionsPerHost: 8,
  maxAddresses: 16,
  maxHeaderBytes: 65_536,
  maxHeaderLines: 200,
  maxInterimResponses: 10,
  maxContentCodings: 2,
  maxDecodedRatio: 200,
  maxEncodedRatio: 2,
  maxBytesWithoutContent: 1_048_576,
  maxReplyLineBytes: 4_096,
  maxReplyBytes: 65_536,
  maxCommandBytes: 512,
  maxDirectoryDepth: 64,
  maxSteps: 100,
  maxListingBytes: 16_777_216,
  maxListingEntries: 100_000,
  maxListingLineBytes: 8_192,
  maxGopherLineBytes: 4_096,
  maxWaisApduBytes: 4_194_304,
  maxNntpLineBytes: 8_192,
  maxQueuedDatagrams: 256,
  maxProsperoPackets: 64,
  maxProsperoLinks: 10_000,
  maxProsperoForwards: 5,
  maxProsperoWaitMs: 90_000,
  maxOptionChanges: 64,
  maxSubnegotiationBytes: 4_096,
  sessionIdleTimeoutMs: 600_000,
});

const LIMITS: kind.OptionTable = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [name, name.endsWith("Ms") ? kind.timeout : kind.positive]),
);

/** The option `limits` of a client or a call. */
export const limitKind: kind.OptionKind = kind.options(LIMITS, "limits by name, as { maxRedirects: 2 }");

/** Returns the defaults with some limits changed. Throws `TypeError` for an unknown limit, and for one that is no positive number. */
export function mergeLimits(changes?: Partial<Limits>, base: Limits = DEFAULT_LIMITS): Limits {
  if (!changes) return base;
  const changed = Object.entries(changes);
  if (changed.length === 0) return base;
  checkOptions("limits", changes, LIMITS);
  const [absent] = changed.find(([, value]) => value === undefined) ?? [];
  if (absent !== undefined) throw wrongOption("limits", absent, undefined, kind.positive);
  return Object.freeze({ ...base, ...changes });
}

/** Creates the error of a limit that was reached. */
export function limitError(name: keyof Limits, limits: Limits, reason: string): AccessError {
  const timeout = name.endsWith("Ms");
  const unit = timeout ? " ms" : "";
  const advice = `the limit ${name} is ${limits[name]}${unit}`;
  return new AccessError(timeout ? "timeout" : "limit", reason, { limit: name, advice });
}
