import {
  type HttpAgentSocketOptions,
  GuardedHttpAgent,
  GuardedHttpsAgent,
} from "../network/guarded-http-agents.ts";
import { addDefaultOptions } from "../options/add-default-options.ts";
import { checkOptions } from "../options/check-options.ts";
import {
  type OptionTable,
  booleanOptionKind,
  millisecondsOptionKind,
  createEnumOptionKind,
  createIntegerOptionKind,
} from "../options/option-kinds.ts";
import { DEFAULT_CORE_LIMITS, type CoreLimits, createLimitsOptionKind } from "../policy/limits.ts";
import {
  createGuardedConnector,
  GUARD_OPTION_KINDS,
  GUARD_TLS_OPTION_KINDS,
  type GuardOptions,
  type HttpConnectionTarget,
  type GuardTlsOptions,
} from "./guarded-connector.ts";

export {
  type GuardedConnector,
  type ConnectLimits,
  createGuardedConnector,
  GUARD_OPTION_KINDS,
  GUARD_TLS_OPTION_KINDS,
  type GuardOptions,
  type HttpConnectionTarget,
  type GuardTlsOptions,
} from "./guarded-connector.ts";
export type { GuardedHttpAgent, GuardedHttpsAgent } from "../network/guarded-http-agents.ts";

/**
 * The limits of an agent of `node:http`. The HTTP library that uses the agent, such as axios, sets the limits for
 * responses.
 */
export type HttpAgentLimits = Pick<
  CoreLimits,
  "dnsTimeoutMs" | "connectTimeoutMs" | "maxAddresses" | "maxConnectionsPerHost"
>;

/** The options of {@link guardedHttpAgent}. */
export interface HttpAgentOptions extends GuardOptions {
  /** The limits of the agent that differ from a client's default limits. */
  readonly limits?: Partial<HttpAgentLimits> | undefined;
  /** Keeps connections open for later requests. Default true. */
  readonly keepAlive?: boolean | undefined;
  /** The delay before the first keep-alive packet of TCP, in milliseconds. Default 1 000. */
  readonly keepAliveMsecs?: number | undefined;
  /** The maximum number of idle connections to one host and port. Default 256. */
  readonly maxFreeSockets?: number | undefined;
  /**
   * The idle connection that is reused next: `"lifo"` is the most recently used, `"fifo"` the least recently used.
   * Default `"lifo"`.
   */
  readonly scheduling?: "fifo" | "lifo" | undefined;
  /** The time after which an idle connection is closed, in milliseconds. `Infinity` and 0: no limit. Default 5 000. */
  readonly timeout?: number | undefined;
}

/** The options of {@link guardedHttpsAgent}. */
export interface HttpsAgentOptions extends HttpAgentOptions, GuardTlsOptions {}

const { dnsTimeoutMs, connectTimeoutMs, maxAddresses, maxConnectionsPerHost } = DEFAULT_CORE_LIMITS;

const DEFAULT_HTTP_AGENT_LIMITS: HttpAgentLimits = Object.freeze({
  dnsTimeoutMs,
  connectTimeoutMs,
  maxAddresses,
  maxConnectionsPerHost,
});

const HTTP_AGENT_OPTIONS: OptionTable<HttpAgentOptions> = {
  ...GUARD_OPTION_KINDS,
  limits: createLimitsOptionKind(DEFAULT_HTTP_AGENT_LIMITS),
  keepAlive: booleanOptionKind,
  keepAliveMsecs: millisecondsOptionKind,
  maxFreeSockets: createIntegerOptionKind(1, undefined, true),
  scheduling: createEnumOptionKind("fifo", "lifo"),
  timeout: millisecondsOptionKind,
};

/** Advice for options of `http.Agent` that the guard replaces. */
const ADVICE_BY_NAME: ReadonlyMap<string, string> = new Map([
  ["maxSockets", "write limits: { maxConnectionsPerHost }"],
  ["lookup", "write resolver: (name) => addresses"],
  ["rejectUnauthorized", "add the certificate of the issuer with the option ca"],
  ["proxyEnv", "write proxy: proxyFromEnvironment()"],
]);

const findAdvice = (name: string): string | undefined => ADVICE_BY_NAME.get(name);

/**
 * Returns an agent for `http.request`, axios and got, whose connections the guard opens. A request fails with an
 * `AccessError` when the guard refuses its connection. Throws `TypeError` for an invalid option.
 */
export function guardedHttpAgent(options: HttpAgentOptions = {}): GuardedHttpAgent {
  checkOptions("guardedHttpAgent", options, HTTP_AGENT_OPTIONS, { advice: findAdvice });
  return new GuardedHttpAgent(createOpener("http", options), selectPoolOptions(options));
}

/** Returns an agent for `https.request`, axios and got, as {@link guardedHttpAgent} does. */
export function guardedHttpsAgent(options: HttpsAgentOptions = {}): GuardedHttpsAgent {
  checkOptions(
    "guardedHttpsAgent",
    options,
    { ...HTTP_AGENT_OPTIONS, ...GUARD_TLS_OPTION_KINDS },
    { advice: findAdvice },
  );
  return new GuardedHttpsAgent(createOpener("https", options), selectPoolOptions(options));
}

function createOpener(
  scheme: HttpConnectionTarget["scheme"],
  { limits, ...options }: HttpsAgentOptions,
): ConstructorParameters<typeof GuardedHttpAgent>[0] {
  const merged = addDefaultOptions(DEFAULT_HTTP_AGENT_LIMITS, limits ?? {});
  const guard = createGuardedConnector({ ...options, limits: merged });
  return (target) => guard.connect({ scheme, ...target, alpnProtocols: ["http/1.1"] });
}

function selectPoolOptions({
  keepAlive = true,
  keepAliveMsecs = 1_000,
  maxFreeSockets = 256,
  scheduling = "lifo",
  timeout = 5_000,
  limits,
}: HttpAgentOptions): HttpAgentSocketOptions {
  const maxSockets = limits?.maxConnectionsPerHost ?? DEFAULT_HTTP_AGENT_LIMITS.maxConnectionsPerHost;
  const idleTimeout = timeout === Infinity ? 0 : timeout;
  return { keepAlive, keepAliveMsecs, maxFreeSockets, scheduling, timeout: idleTimeout, maxSockets };
}
