import type { CoreLimits } from "@anyscheme/core";
import { DEFAULT_CORE_LIMITS } from "@anyscheme/core";
import {
  GUARD_OPTION_KINDS,
  GUARD_TLS_OPTION_KINDS,
  type GuardOptions,
  type GuardTlsOptions,
} from "@anyscheme/core/http-agent";
import {
  checkOptions,
  createLimitsOptionKind,
  type OptionTable,
  booleanOptionKind,
  createIntegerOptionKind,
  positiveNumberOptionKind,
} from "@anyscheme/core/plugin";
import type { Agent } from "undici";

/**
 * The limits of HTTP responses. The limits that a client has too have the same defaults in `guardedAgent`, except
 * `bodyTimeoutMs`. undici measures `firstByteTimeoutMs` and `idleTimeoutMs`, and ends a request up to 1 s after these
 * limits.
 */
export interface ResponseLimits extends Pick<
  CoreLimits,
  | "callTimeoutMs"
  | "firstByteTimeoutMs"
  | "idleTimeoutMs"
  | "bodyTimeoutMs"
  | "maxBodyBytes"
  | "maxHeaderBytes"
  | "maxHeaderLines"
> {
  /** The maximum number of interim (1xx) responses before the final response. Default 10. RFC 9110 §15.2. */
  readonly maxInterimResponses: number;
  /** The maximum number of content codings of a response. Default 2. RFC 9110 §8.4. */
  readonly maxContentCodings: number;
  /** The maximum number of decoded bytes per received byte, after the first 1 MiB. Default 200. */
  readonly maxDecodedRatio: number;
}

/** The limits of connections and responses of a guarded agent. */
export interface GuardedAgentLimits
  extends
    ResponseLimits,
    Pick<CoreLimits, "dnsTimeoutMs" | "connectTimeoutMs" | "maxAddresses" | "maxConnectionsPerHost"> {}

/**
 * The defaults of the limits of an agent. `bodyTimeoutMs` is 10 minutes, because the reader of a `fetch` response
 * cannot set a limit.
 */
export const DEFAULT_GUARDED_AGENT_LIMITS: GuardedAgentLimits = Object.freeze({
  callTimeoutMs: DEFAULT_CORE_LIMITS.callTimeoutMs,
  dnsTimeoutMs: DEFAULT_CORE_LIMITS.dnsTimeoutMs,
  connectTimeoutMs: DEFAULT_CORE_LIMITS.connectTimeoutMs,
  firstByteTimeoutMs: DEFAULT_CORE_LIMITS.firstByteTimeoutMs,
  idleTimeoutMs: DEFAULT_CORE_LIMITS.idleTimeoutMs,
  bodyTimeoutMs: 600_000,
  maxBodyBytes: DEFAULT_CORE_LIMITS.maxBodyBytes,
  maxConnectionsPerHost: DEFAULT_CORE_LIMITS.maxConnectionsPerHost,
  maxAddresses: DEFAULT_CORE_LIMITS.maxAddresses,
  maxHeaderBytes: DEFAULT_CORE_LIMITS.maxHeaderBytes,
  maxHeaderLines: DEFAULT_CORE_LIMITS.maxHeaderLines,
  maxInterimResponses: 10,
  maxContentCodings: 2,
  maxDecodedRatio: 200,
});

/** The options of undici's `Agent` that `guardedAgent` accepts, with the meanings and defaults of undici. */
export type AcceptedUndiciAgentOptions = Pick<
  Agent.Options,
  | "allowH2"
  | "clientTtl"
  | "keepAliveMaxTimeout"
  | "keepAliveTimeout"
  | "keepAliveTimeoutThreshold"
  | "maxOrigins"
  | "maxRequestsPerClient"
  | "pipelining"
  | "strictContentLength"
>;

/** The options of {@link guardedAgent}. */
export interface GuardedAgentOptions extends GuardOptions, GuardTlsOptions, AcceptedUndiciAgentOptions {
  /** The limits that differ from the defaults. */
  readonly limits?: Partial<GuardedAgentLimits> | undefined;
}

const duration = createIntegerOptionKind(0);
const UNDICI_AGENT_OPTIONS: OptionTable<AcceptedUndiciAgentOptions> = {
  allowH2: booleanOptionKind,
  clientTtl: duration,
  keepAliveMaxTimeout: createIntegerOptionKind(1),
  keepAliveTimeout: createIntegerOptionKind(1),
  keepAliveTimeoutThreshold: duration,
  maxOrigins: positiveNumberOptionKind,
  maxRequestsPerClient: createIntegerOptionKind(0),
  pipelining: createIntegerOptionKind(0),
  strictContentLength: booleanOptionKind,
};

const AGENT_OPTIONS: OptionTable<GuardedAgentOptions> = {
  ...GUARD_OPTION_KINDS,
  ...GUARD_TLS_OPTION_KINDS,
  ...UNDICI_AGENT_OPTIONS,
  limits: createLimitsOptionKind(DEFAULT_GUARDED_AGENT_LIMITS),
};

/** Advice for options of undici that the guard replaces. */
const ADVICE_BY_NAME: ReadonlyMap<string, string> = new Map([
  ["bodyTimeout", "write limits: { idleTimeoutMs, bodyTimeoutMs }"],
  ["connect", "write ca, cert, key, passphrase, resolver or limits: { connectTimeoutMs }"],
  ["connections", "write limits: { maxConnectionsPerHost }"],
  ["connectTimeout", "write limits: { connectTimeoutMs }"],
  ["factory", "the guard opens every connection itself"],
  ["headersTimeout", "write limits: { firstByteTimeoutMs }"],
  ["maxHeaderSize", "write limits: { maxHeaderBytes }"],
  ["maxResponseSize", "write limits: { maxBodyBytes }"],
  ["socketPath", "the guard does not connect to Unix domain sockets"],
]);

/** Checks the options of `guardedAgent`. Throws `TypeError` for an unknown option and for an invalid value. */
export function checkGuardedAgentOptions(options: GuardedAgentOptions): void {
  checkOptions("guardedAgent", options, AGENT_OPTIONS, { advice: (name) => ADVICE_BY_NAME.get(name) });
}

/**
 * Checks the argument of `responseLimitsInterceptor`. Throws `TypeError` for an unknown limit and for an invalid value.
 */
export function checkResponseLimitOptions(limits: Partial<ResponseLimits>): void {
  checkOptions(
    "responseLimitsInterceptor",
    { limits },
    { limits: createLimitsOptionKind(DEFAULT_GUARDED_AGENT_LIMITS) },
  );
}

/** Returns the options of undici's `Agent` for the options of `guardedAgent`. */
export function createUndiciAgentOptions(
  options: GuardedAgentOptions,
  limits: GuardedAgentLimits,
): Agent.Options {
  const pool = Object.fromEntries(
    Object.keys(UNDICI_AGENT_OPTIONS).flatMap((name) => {
      const value = options[name as keyof AcceptedUndiciAgentOptions];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return {
    ...pool,
    connections: limits.maxConnectionsPerHost === Infinity ? null : limits.maxConnectionsPerHost,
    // The value 0 disables a timeout of undici.
    headersTimeout: limits.firstByteTimeoutMs === Infinity ? 0 : Math.ceil(limits.firstByteTimeoutMs),
    bodyTimeout: limits.idleTimeoutMs === Infinity ? 0 : Math.ceil(limits.idleTimeoutMs),
    maxHeaderSize: Math.ceil(Math.min(limits.maxHeaderBytes, Number.MAX_SAFE_INTEGER)),
  };
}
