import { AccessError } from "../errors/access-error.ts";
import { emitTrace, hasTraceListeners, type TraceListener } from "../client/trace.ts";
import { connectTo } from "../network/connect.ts";
import {
  connectionAttemptDelayOptionKind,
  type GuardContext,
  DEFAULT_CONNECTION_ATTEMPT_DELAY_MS,
  type Socket,
} from "../network/guard-context.ts";
import { resolveNameBySystem, type Resolver, resolverOptionKind } from "../network/resolver.ts";
import { type ProxyOption, clientProxyOptionKind, selectProxy } from "../network/proxy/proxy-settings.ts";
import { addDefaultOptions } from "../options/add-default-options.ts";
import {
  type OptionTable,
  callbackOptionKind,
  certificatesOptionKind,
  stringOptionKind,
} from "../options/option-kinds.ts";
import { DEFAULT_CORE_LIMITS, type CoreLimits } from "../policy/limits.ts";
import { type Policy, policyOptionKind, publicInternet } from "../policy/policy.ts";
import type { TlsOptions, TraceEventInit } from "../scheme/context.ts";
import { GenericUrl } from "../syntax/index.ts";

/** The options of a guard that opens the connections of another HTTP client. */
export interface GuardOptions {
  /** The rules for the addresses, host names and ports. Default `publicInternet()`. */
  readonly policy?: Policy | undefined;
  /** The resolver of host names. Default: the system's resolver. */
  readonly resolver?: Resolver | undefined;
  /**
   * The time between the starts of attempts to connect to the addresses of a host, in milliseconds, from 10 to 2 000.
   * Default 250. RFC 8305 §8.
   */
  readonly connectionAttemptDelayMs?: number | undefined;
  /**
   * The proxy of all connections, or a function that returns the proxy for the origin of a request. The guard checks
   * the server, and the proxy receives a checked address, or the name with `resolveBy: "proxy"`. Default: none.
   */
  readonly proxy?: ProxyOption | undefined;
  /** Receives the events of each connection: the look-up, the connection, and TLS. */
  readonly trace?: TraceListener | undefined;
}

/** The certificates and the private key of TLS connections, in PEM. */
export interface GuardTlsOptions {
  /** The trusted certificates, which replace the built-in certificates. */
  readonly ca?: string | readonly string[] | undefined;
  /** The client certificate with its chain. Default: none. */
  readonly cert?: string | undefined;
  /** The private key of `cert`. */
  readonly key?: string | undefined;
  /** The password that decrypts `key`. */
  readonly passphrase?: string | undefined;
}

/** The limits that apply to opening a connection. */
export type ConnectLimits = Pick<CoreLimits, "dnsTimeoutMs" | "connectTimeoutMs" | "maxAddresses">;

/** The kinds of the options in {@link GuardOptions}. */
export const GUARD_OPTION_KINDS: OptionTable<GuardOptions> = {
  policy: policyOptionKind,
  resolver: resolverOptionKind,
  connectionAttemptDelayMs: connectionAttemptDelayOptionKind,
  proxy: clientProxyOptionKind,
  trace: callbackOptionKind,
};

/** The kinds of the options in {@link GuardTlsOptions}. */
export const GUARD_TLS_OPTION_KINDS: OptionTable<GuardTlsOptions> = {
  ca: certificatesOptionKind,
  cert: stringOptionKind,
  key: stringOptionKind,
  passphrase: stringOptionKind,
};

/** A server that an HTTP client connects to. */
export interface HttpConnectionTarget {
  readonly scheme: "http" | "https";
  readonly host: string;
  /** The port of the HTTP server. Default: 80 for http, 443 for https. */
  readonly port?: number | undefined;
  /** The name for which the server's TLS certificate must be valid. Default: `host`. */
  readonly serverName?: string | undefined;
  /** The application protocols (ALPN) offered in the TLS handshake. Default: none. RFC 7301. */
  readonly alpnProtocols?: readonly string[] | undefined;
}

/** Opens connections of an HTTP client under the rules of a policy. */
export interface GuardedConnector {
  /**
   * Opens a connection to an HTTP server, with TLS for https. Throws an `AccessError` with the code `refused-port`,
   * `refused-name`, `refused-address`, `limit`, `timeout`, or `proxy` for a failure of the proxy. Throws the error of
   * Node.js when the name is unknown, the server rejects the connection, or its certificate is invalid.
   */
  connect(target: HttpConnectionTarget): Promise<Socket>;
}

const DEFAULT_PORTS: Readonly<Record<HttpConnectionTarget["scheme"], number>> = { http: 80, https: 443 };

/**
 * Creates a guard. Throws `TypeError` for a policy with different rules for redirects, because the guard does not know
 * the redirects of another HTTP client.
 */
export function createGuardedConnector(
  options: GuardOptions & GuardTlsOptions & { readonly limits?: ConnectLimits },
): GuardedConnector {
  const {
    policy = publicInternet(),
    resolver = resolveNameBySystem,
    trace,
    ca,
    cert,
    key,
    passphrase,
  } = options;
  const { connectionAttemptDelayMs = DEFAULT_CONNECTION_ATTEMPT_DELAY_MS } = options;
  const limits: CoreLimits = addDefaultOptions(DEFAULT_CORE_LIMITS, options.limits ?? {});
  const tls: TlsOptions = { ca, cert, key, passphrase };
  if (policy.redirectPolicy)
    throw new TypeError(
      "an agent cannot distinguish a redirect from a first request: use a policy without redirectPolicy",
    );

  function createConnectionContext({
    scheme,
    host,
    port,
  }: Required<Pick<HttpConnectionTarget, "scheme" | "host">> & { port: number }): {
    readonly context: GuardContext;
    readonly sockets: readonly Socket[];
  } {
    const sockets: Socket[] = [];
    const startMs = performance.now();
    const name = host.includes(":") ? `[${host}]` : host;
    const defaultPort = DEFAULT_PORTS[scheme];
    const url = `${scheme}://${name}${port === defaultPort ? "" : `:${port}`}/`;
    const context: GuardContext = {
      policySelectionInput: { requestPolicy: policy, targetNamedBy: "caller" },
      // HTTP may use ports from 1024 on, because servers of other protocols do not execute an HTTP request as commands.
      schemePorts: { scheme, defaultPort, portRange: "unprivileged" },
      limits,
      connectionAttemptDelayMs,
      resolver,
      linkLocalZone: undefined,
      proxy: selectProxy(options.proxy, new GenericUrl(url, [], { defaultPort }), { host, port }),
      signal: new AbortController().signal,
      trace(message: TraceEventInit) {
        if (!hasTraceListeners(trace)) return;
        emitTrace(trace, { ...message, atMs: performance.now() - startMs, url, step: undefined });
      },
      onSocket: (socket) => void sockets.push(socket.on("error", () => undefined)),
      onDatagramSocket: () => () => undefined,
      onAddressesChecked: () => undefined,
    };
    return { context, sockets };
  }

  return {
    async connect({ scheme, host, port = DEFAULT_PORTS[scheme], serverName = host, alpnProtocols }) {
      const { context, sockets } = createConnectionContext({ scheme, host, port });
      try {
        const socket = await connectTo(context, { host, port });
        if (scheme === "http") return socket;
        // Programs that use only http URLs do not need the TLS module.
        const { startTls } = await import("../network/start-tls.ts");
        return await startTls(context, socket, serverName, { ...tls, alpnProtocols });
      } catch (error) {
        for (const socket of sockets) socket.destroy();
        throw findSystemError(error) ?? error;
      }
    },
  };
}

/**
 * Returns the error of Node.js that caused an `unavailable` error. HTTP clients decide by the error code of Node.js,
 * such as ECONNRESET, whether a request is repeated.
 */
function findSystemError(error: unknown): Error | undefined {
  if (!(error instanceof AccessError) || error.code !== "unavailable") return undefined;
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? cause : undefined;
}
