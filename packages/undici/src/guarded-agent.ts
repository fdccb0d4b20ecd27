import { type GuardedConnector, createGuardedConnector } from "@anyscheme/core/http-agent";
import { addDefaultOptions } from "@anyscheme/core/plugin";
import { Agent, type buildConnector, type Dispatcher } from "undici";
import { convertOldHandler, responseLimitsInterceptor } from "./response-limits-interceptor.ts";
import {
  DEFAULT_GUARDED_AGENT_LIMITS,
  type GuardedAgentLimits,
  checkGuardedAgentOptions,
  createUndiciAgentOptions,
  type GuardedAgentOptions,
} from "./options.ts";

/** The delay before the first keep-alive packet of TCP, in milliseconds, as in undici's own connector. */
const KEEP_ALIVE_DELAY_MS = 60_000;

/** The type of the option `dispatcher` of the built-in `fetch`, where the types of Node.js declare the option. */
type FetchDispatcher = RequestInit extends { dispatcher?: infer Dispatcher }
  ? NonNullable<Dispatcher>
  : unknown;

/** An agent of undici 8 that the built-in `fetch` also accepts. */
export type GuardedAgent = Agent & FetchDispatcher;

/** An undici agent whose connections the guard opens, and whose responses have limits. */
class LimitedAgent extends Agent {
  readonly #dispatch: Dispatcher.Dispatch;

  constructor(options: Agent.Options, limits: GuardedAgentLimits) {
    super(options);
    this.#dispatch = responseLimitsInterceptor(limits)((request, handler) =>
      super.dispatch(request, handler),
    );
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#dispatch(options, handler);
  }

  /**
   * Adds interceptors, which receive handlers of undici 8 only. `fetch` of Node.js 22 and 24 passes handlers of undici
   * 6 and 7, whose methods the interceptors of undici 8 never call.
   */
  override compose(
    ...interceptors: (Dispatcher.DispatcherComposeInterceptor | Dispatcher.DispatcherComposeInterceptor[])[]
  ): Dispatcher.ComposedDispatcher {
    return super.compose(...interceptors.flat(), (dispatch) => (options, handler) => {
      const converted = convertOldHandler(options, handler);
      return dispatch(converted.options, converted.handler);
    });
  }
}

/**
 * Returns an undici agent for `fetch` and for undici, whose connections the guard opens. After a refusal or an exceeded
 * limit, `fetch` rejects with a `TypeError` whose cause is an `AccessError`; undici's own methods reject with the
 * `AccessError`. Throws `TypeError` for an invalid option.
 */
export function guardedAgent(options: GuardedAgentOptions = {}): GuardedAgent {
  checkGuardedAgentOptions(options);
  const limits: GuardedAgentLimits = addDefaultOptions(DEFAULT_GUARDED_AGENT_LIMITS, options.limits ?? {});
  const connect = createConnector(createGuardedConnector({ ...options, limits }));
  const agent = new LimitedAgent({ ...createUndiciAgentOptions(options, limits), connect }, limits);
  // The types of the built-in fetch describe an older version of undici.
  return agent as unknown as GuardedAgent;
}

/** Returns the function with which undici opens connections. */
function createConnector(guard: GuardedConnector): buildConnector.connector {
  return (options: buildConnector.Options & { allowH2?: boolean }, callback) => {
    const { protocol, hostname, port, host, servername, allowH2 = true } = options;
    const target = {
      scheme: protocol === "https:" ? ("https" as const) : ("http" as const),
      host: hostname,
      port: port === "" ? undefined : Number(port),
      // undici's dns interceptor replaces the host name by an address, and passes the name as servername.
      serverName: servername ?? readHostName(host) ?? hostname,
      alpnProtocols: allowH2 ? ["http/1.1", "h2"] : ["http/1.1"],
    };
    guard.connect(target).then(
      (socket) => callback(null, socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS)),
      (error: unknown) => callback(error as Error, null),
    );
  };
}

/** Returns the host name of `name:port`, or `undefined` for an IPv6 address. */
function readHostName(host: string | undefined): string | undefined {
  return host === undefined || host.startsWith("[") ? undefined : host.replace(/:\d*$/, "");
}
