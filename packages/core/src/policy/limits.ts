import { AccessError } from "../errors/access-error.ts";
import { removeAbsentOptions } from "../options/add-default-options.ts";
import { checkOptions } from "../options/check-options.ts";
import {
  type OptionKind,
  type OptionTable,
  createOptionsOptionKind,
  positiveNumberOptionKind,
  positiveMillisecondsOptionKind,
} from "../options/option-kinds.ts";
import type { Scheme } from "../scheme/scheme.ts";

/** The limits that apply to every scheme. A caller may raise each limit, up to `Infinity`. */
export interface CoreLimits {
  /** The maximum length of a URL, in UTF-16 units. Default 65 536. */
  readonly maxUrlLength: number;
  /**
   * The maximum time from the call to the first byte of the body. For `client.text`, `client.json` and `client.bytes`,
   * the maximum time to the end of the body. For `client.list`, the maximum time to the first entry. All limits whose
   * names end in `Ms` are in milliseconds. Default 120 000.
   */
  readonly callTimeoutMs: number;
  /** The maximum wait for the addresses of one host name. Default 5 000. */
  readonly dnsTimeoutMs: number;
  /** The maximum time for all attempts to connect to one host, and for the TLS handshake. Default 10 000. */
  readonly connectTimeoutMs: number;
  /** The maximum wait for the first bytes of a response or reply. Default 30 000. */
  readonly firstByteTimeoutMs: number;
  /** The maximum pause while a response or body is received, or a body is sent. Default 30 000. */
  readonly idleTimeoutMs: number;
  /**
   * The maximum time to receive a whole body or directory listing. The default is `Infinity`, because the transfer of a
   * large file may take long.
   */
  readonly bodyTimeoutMs: number;
  /**
   * The maximum number of body bytes that `bytes()`, `text()`, `json()`, `blob()`, `arrayBuffer()` and `formData()` of
   * a resource or of a response of `client.fetch` collect. Default 100 MiB.
   */
  readonly maxBodyBytes: number;
  /**
   * The maximum number of body bytes that the caller reads as a stream or that `saveTo` saves. The default is
   * `Infinity`, because the reader of a stream can stop the stream.
   */
  readonly maxStreamBytes: number;
  /** The maximum number of redirects of a request. Default 5. */
  readonly maxRedirects: number;
  /**
   * The maximum number of open connections of a client to one host and port, idle connections included. Further
   * requests wait. Default 8.
   */
  readonly maxConnectionsPerHost: number;
  /** The maximum number of IP addresses of a host name. Default 16. */
  readonly maxAddresses: number;
  /** The maximum size of a response's header section in bytes. Default 64 KiB. */
  readonly maxHeaderBytes: number;
  /** The maximum number of lines of a response's header section. Default 200. */
  readonly maxHeaderLines: number;
  /**
   * The maximum number of bytes received for a body, including content codings and framing, as a multiple of
   * `maxBodyBytes`, or of `maxStreamBytes` for a stream. 1 MiB is always allowed. Default 2.
   */
  readonly maxEncodedRatio: number;
  /** The maximum length in bytes of a line of a server's reply to a command. Default 4 096. */
  readonly maxReplyLineBytes: number;
  /** The maximum size of a reply in bytes, and of all unsolicited replies. Default 64 KiB. */
  readonly maxReplyBytes: number;
  /**
   * The maximum length of a command in bytes, including its line end. Default 512, because some servers split longer
   * commands and execute the rest as another command.
   */
  readonly maxCommandBytes: number;
  /** The maximum number of steps of a plan, not counting `expect` steps. Default 100. */
  readonly maxSteps: number;
  /** The maximum size in bytes of a listing, such as a directory or menu. Default 16 MiB. */
  readonly maxListingBytes: number;
  /** The maximum number of entries of a listing, such as a directory or menu. Default 100 000. */
  readonly maxListingEntries: number;
  /** The maximum length in bytes of a line of a listing, such as a directory or menu. Default 8 192. */
  readonly maxListingLineBytes: number;
  /** The maximum number of received datagrams that a UDP socket queues. Further datagrams are dropped. Default 256. */
  readonly maxQueuedDatagrams: number;
}

/**
 * The limits of a client: the limits of core and the limits that its schemes declare ({@link Scheme.limits}). Scheme
 * packages add their limits to this interface by declaration merging.
 */
export interface ClientLimits extends CoreLimits {}

/** The limits that a caller changes. A limit with the value `undefined` stays unchanged. */
export type LimitChanges<L extends object = ClientLimits> = {
  readonly [Name in keyof L]?: L[Name] | undefined;
};

/** The type of limits that include the limit with the name `Name`. */
export type LimitValuesByName<Name extends string> = Readonly<Record<Name, number>>;

/** The defaults of the limits that core declares. */
export const DEFAULT_CORE_LIMITS: CoreLimits = Object.freeze({
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
  maxEncodedRatio: 2,
  maxReplyLineBytes: 4_096,
  maxReplyBytes: 65_536,
  maxCommandBytes: 512,
  maxSteps: 100,
  maxListingBytes: 16_777_216,
  maxListingEntries: 100_000,
  maxListingLineBytes: 8_192,
  maxQueuedDatagrams: 256,
});

/**
 * Returns the default limits of core and of the schemes, which share one set of names. Throws `TypeError` for two
 * different defaults of one limit.
 */
export function mergeDefaultLimitsOfSchemes(
  schemes: readonly Pick<Scheme, "name" | "limits">[],
): ClientLimits {
  const limits: Record<string, number> = { ...DEFAULT_CORE_LIMITS };
  const owners = new Map(Object.keys(DEFAULT_CORE_LIMITS).map((limit) => [limit, "core"]));
  for (const { name, limits: declared = {} } of schemes) {
    for (const [limit, value] of Object.entries(declared)) {
      if (Object.hasOwn(limits, limit) && limits[limit] !== value)
        throw new TypeError(
          `the scheme ${name} declares the limit ${limit} with the default ${value}, and ${owners.get(limit)} declares it with the default ${limits[limit]}: begin the name of a limit with the name of its scheme, as in ${addSchemePrefix(name, limit)}`,
        );
      limits[limit] = value;
      if (!owners.has(limit)) owners.set(limit, `the scheme ${name}`);
    }
    checkOptions(`limits of the scheme ${name}`, declared, createLimitOptionTable(declared));
  }
  return Object.freeze(limits) as unknown as ClientLimits;
}

/**
 * Returns the name of a limit with its scheme as prefix, as in `geminiMaxHeaderBytes` for `maxHeaderBytes` of `gemini`.
 */
function addSchemePrefix(scheme: string, limit: string): string {
  const prefix = scheme.toLowerCase().replace(/[^a-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase());
  return `${prefix}${limit.charAt(0).toUpperCase()}${limit.slice(1)}`;
}

/** Returns the kind of the option `limits`, which accepts the names of the given limits. */
export function createLimitsOptionKind(limits: object): OptionKind {
  return createOptionsOptionKind(
    createLimitOptionTable(limits),
    "an object of limits, such as { maxRedirects: 2 }",
  );
}

function createLimitOptionTable(limits: object): OptionTable {
  return Object.fromEntries(
    Object.keys(limits).map((name) => [
      name,
      name.endsWith("Ms") ? positiveMillisecondsOptionKind : positiveNumberOptionKind,
    ]),
  );
}

/**
 * Returns `base` with some limits changed. A limit with the value `undefined` stays unchanged. Throws `TypeError` for
 * an unknown name, and for a value that is not a positive number.
 */
export function mergeLimits<L extends CoreLimits = CoreLimits>(
  changes?: LimitChanges<NoInfer<L>>,
  base: L = DEFAULT_CORE_LIMITS as L,
): L {
  if (!changes) return base;
  checkOptions("limits", changes, createLimitOptionTable(base));
  const present = removeAbsentOptions(changes);
  return Object.keys(present).length === 0 ? base : Object.freeze({ ...base, ...present });
}

/** Creates the error of a limit that was reached. */
export function createLimitError<Name extends string>(
  name: Name,
  limits: LimitValuesByName<Name>,
  reason: string,
): AccessError {
  const timeout = name.endsWith("Ms");
  const unit = timeout ? " ms" : "";
  const advice = `the limit ${name} is ${limits[name]}${unit}`;
  return new AccessError(timeout ? "timeout" : "limit", reason, { limit: name, advice });
}
