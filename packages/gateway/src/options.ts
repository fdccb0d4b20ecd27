import {
  type OptionTable,
  createArrayOptionKind,
  callbackOptionKind,
  createIntegerOptionKind,
  createOptionsOptionKind,
  type OptionKind,
  positiveNumberOptionKind,
} from "@anyscheme/core/plugin";
import type { ConcurrentRequestLimits } from "./request/concurrent-request-limiter.ts";

export interface GatewayServerOptions {
  /**
   * The address at which the gateway listens. Default `127.0.0.1`, which accepts connections only from this machine.
   */
  readonly host?: string | undefined;
  /** The port at which the gateway listens; 0 selects a free port. Default 8070. */
  readonly port?: number | undefined;
  /**
   * Further host names of the gateway, as in `gw.example`. A host name needs a port if the reverse proxy has a port
   * other than 80, 443 and that of the gateway, as in `gw.example:8443`. The gateway always accepts requests for the
   * value of `host` and for the name `localhost`. The gateway accepts forms from pages at these hosts over `http:`, and
   * over `https:` from a reverse proxy. Requests for other host names get the status 421, which prevents DNS rebinding.
   * Default: none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The maximum numbers of concurrent requests to the gateway. The gateway answers requests beyond the limits of
   * `concurrency` with the status 503. Default: 64 pages (8 per client, 8 per host) and 32 downloads (8 per client, 6
   * per host).
   */
  readonly concurrency?:
    | { readonly [Name in keyof ConcurrentRequestLimits]?: ConcurrentRequestLimits[Name] | undefined }
    | undefined;
  /** The maximum number of open connections from clients to the gateway. Default 1 024. */
  readonly maxConnections?: number | undefined;
  /**
   * The maximum number of open connections from one client: an IPv4 address, or a /64 network of IPv6 addresses. The
   * gateway closes further connections of the same client at once. Behind a reverse proxy all connections come from the
   * proxy, so set `maxConnectionsPerClient` to `maxConnections` or `Infinity` and limit the connections in the proxy.
   * Default 64.
   */
  readonly maxConnectionsPerClient?: number | undefined;
  /** The maximum number of bytes of a text that its page shows. The raw view shows the whole text. Default 1 MiB. */
  readonly maxTextBytes?: number | undefined;
  /** The maximum number of bytes in the response of a raw view or a download. Default 1 GiB. */
  readonly maxRawBytes?: number | undefined;
  /**
   * The time limit for the header section of a request, in milliseconds. The time limit for receiving a whole request
   * with its body is three times `headersTimeoutMs`. Default 10 000.
   */
  readonly headersTimeoutMs?: number | undefined;
  /**
   * Called with each failure that gets the status 500, for a log. The error page with the status 500 does not contain
   * the text of the error. An error of `onError` is ignored, also the rejection of a promise that `onError` returns.
   * Default: none.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
  /** The time limit for one write to a client that does not read, in milliseconds. Default 30 000. */
  readonly writeTimeoutMs?: number | undefined;
}

const listenAddressOptionKind: OptionKind = {
  expects: 'an address or a host name, as "127.0.0.1"',
  // Node.js would listen on every address if the option `host` were an empty text.
  accepts: (value) => typeof value === "string" && value !== "",
  messagesMayShowValue: true,
};

const hostNameOptionKind: OptionKind = {
  expects: 'a host name as in the field Host, as "gw.example" or "gw.example:8443"',
  accepts: (value) => typeof value === "string" && /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(value),
  validTypes: ["string"],
};

/** The option kind of a time limit that is passed to a timer of Node.js. */
const finiteMilliseconds = createIntegerOptionKind(1, 2 ** 31 - 1);

const concurrencyCount = createIntegerOptionKind(1, undefined, true);

const CONCURRENCY_OPTIONS: OptionTable<ConcurrentRequestLimits> = {
  pages: concurrencyCount,
  pagesPerClient: concurrencyCount,
  pagesPerHost: concurrencyCount,
  downloads: concurrencyCount,
  downloadsPerClient: concurrencyCount,
  downloadsPerHost: concurrencyCount,
};

export const GATEWAY_OPTION_KINDS: OptionTable<GatewayServerOptions> = {
  host: listenAddressOptionKind,
  port: createIntegerOptionKind(0, 65_535),
  allowedHosts: createArrayOptionKind(hostNameOptionKind, 'host names, as ["gateway.example"]'),
  concurrency: createOptionsOptionKind(CONCURRENCY_OPTIONS, "an object of limits by name, as { pages: 64 }"),
  maxConnections: concurrencyCount,
  maxConnectionsPerClient: concurrencyCount,
  maxTextBytes: positiveNumberOptionKind,
  maxRawBytes: positiveNumberOptionKind,
  headersTimeoutMs: finiteMilliseconds,
  writeTimeoutMs: finiteMilliseconds,
  onError: callbackOptionKind,
};
