import { AccessError } from "../errors/access-error.ts";
import { checkOptions, wrongOption } from "../options/check-options.ts";
import * as kind from "../options/option-kinds.ts";

/** The limits of a request. A caller may raise each limit, up to `Infinity`. */
export interface Limits {
  /** The maximum length of a URL, in UTF-16 units. Default 65 536. */
  readonly maxUrlLength: number;
  /**
   * The maximum time up to the first byte of the body. All limits whose names end in `Ms` are in milliseconds. Default
   * 120 000.
   */
  readonly callTimeoutMs: number;
  /** The maximum time of one name look-up. Default 5 000. */
  readonly dnsTimeoutMs: number;
  /** The maximum time of all attempts to connect to one host, and of TLS. Default 10 000. */
  readonly connectTimeoutMs: number;
  /** The maximum wait for the first bytes of a response or reply. Default 30 000. */
  readonly firstByteTimeoutMs: number;
  /** The maximum pause within a response or body. Default 30 000. */
  readonly idleTimeoutMs: number;
  /** The maximum time of a whole body. Default `Infinity`, because a large file may take long. */
  readonly bodyTimeoutMs: number;
  /** The maximum number of body bytes that `bytes()`, `text()`, `json()` and `blob()` collect. Default 100 MiB. */
  readonly maxBodyBytes: number;
  /**
   * The maximum number of body bytes of a stream or `saveTo`. Default `Infinity`, because the reader can stop the
   * stream.
   */
  readonly maxStreamBytes: number;
  /** The maximum number of redirects of a request. Default 5. */
  readonly maxRedirects: number;
  /**
   * The maximum number of open connections of a client to one host and port, idle connections included. Further
   * requests wait. Default 8.
   */
  readonly maxConnectionsPerHost: number;
  /** The maximum number of addresses of a host. Default 16. */
  readonly maxAddresses: number;
  /** The maximum size of a header section in bytes. Default 64 KiB. */
  readonly maxHeaderBytes: number;
  /** The maximum number of lines of a header section. Default 200. */
  readonly maxHeaderLines: number;
  /** The maximum number of interim (1xx) HTTP responses before the final response. Default 10. */
  readonly maxInterimResponses: number;
  /** The maximum number of content codings of an HTTP response. Default 2. */
  readonly maxContentCodings: number;
  /** The maximum average number of decoded bytes per encoded byte, after the first 1 MiB. Default 200. */
  readonly maxDecodedRatio: number;
  /**
   * The maximum number of bytes received for a body, as a multiple of `maxBodyBytes`. Codings and framing count.
   * Relative to `maxStreamBytes` for a body that is not collected. 1 MiB is always allowed. Default 2.
   */
  readonly maxEncodedRatio: number;
  /**
   * The maximum number of consecutive bytes of an HTTP response without content. Examples are interim responses, chunk
   * extensions, and codings with empty output. Default 1 MiB.
   */
  readonly maxBytesWithoutContent: number;
  /** The maximum length of a line of an FTP reply in bytes. Default 4 096. */
  readonly maxReplyLineBytes: number;
  /** The maximum size of an FTP reply in bytes, and of all unsolicited replies. Default 64 KiB. */
  readonly maxReplyBytes: number;
  /**
   * The maximum length of an FTP command in bytes, its line end included. Default 512, because some servers split
   * longer commands and execute the rest as another command.
   */
  readonly maxCommandBytes: number;
  /** The maximum number of directories in an FTP path. Default 64. */
  readonly maxDirectoryDepth: number;
  /** The maximum number of steps of a plan, without `expect` steps. Default 100. */
  readonly maxSteps: number;
  /** The maximum size of a listing in bytes. Default 16 MiB. */
  readonly maxListingBytes: number;
  /** The maximum number of entries of a listing. Default 100 000. */
  readonly maxListingEntries: number;
  /** The maximum length of a line of a listing in bytes. Default 8 192. */
  readonly maxListingLineBytes: number;
  /** The maximum length of a line of a Gopher menu in bytes. Default 4 096. */
  readonly maxGopherLineBytes: number;
  /** The maximum size of an APDU of a WAIS server in bytes. Default 4 MiB. */
  readonly maxWaisApduBytes: number;
  /**
   * The maximum length of a line of an NNTP reply, list or overview in bytes. The lines of an article have no limit of
   * their own. Default 8 192.
   */
  readonly maxNntpLineBytes: number;
  /** The maximum number of queued datagrams. Further datagrams are dropped. Default 256. */
  readonly maxQueuedDatagrams: number;
  /**
   * The maximum number of buffered packets of a Prospero response while an earlier packet is missing. Default 64, four
   * windows.
   */
  readonly maxProsperoPackets: number;
  /** The maximum number of links of a Prospero directory. Default 10 000. */
  readonly maxProsperoLinks: number;
  /** The maximum number of Prospero forwards of a request. Default 5. */
  readonly maxProsperoForwards: number;
  /** The maximum total wait that a Prospero server may request. Default 90 000. */
  readonly maxProsperoWaitMs: number;
  /** The maximum number of replies to Telnet option negotiations between two inputs of the user. Default 64. */
  readonly maxOptionChanges: number;
  /** The maximum size of the parameters of a Telnet subnegotiation in bytes. Default 4 096. */
  readonly maxSubnegotiationBytes: number;
  /** The maximum pause on both sides of an interactive session. Default 600 000. */
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

/**
 * Returns the defaults with some limits changed. Throws `TypeError` for an unknown limit, and for a value that is no
 * positive number.
 */
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
