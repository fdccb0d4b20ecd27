// This file is the composition root: no other file of the package uses tsyringe at run time.
import "@abraham/reflection";
import { type Client, type Policy, type ProxyOption, publicInternet } from "@anyscheme/core";
import type { CacheStore } from "@anyscheme/core/cache";
import {
  checkOptions,
  type OptionTable,
  type GatewaysByScheme,
  createIntegerOptionKind,
  type OptionKind,
} from "@anyscheme/core/plugin";
import {
  CACHE_TSYRINGE_TOKEN,
  CLIENT_TSYRINGE_TOKEN,
  CLIENT_OPTIONS_TSYRINGE_TOKEN,
  COOKIES_TSYRINGE_TOKEN,
  CREDENTIALS_TSYRINGE_TOKEN,
  GATEWAYS_TSYRINGE_TOKEN,
  LIMITS_TSYRINGE_TOKEN,
  LINK_LOCAL_ZONE_TSYRINGE_TOKEN,
  POLICY_TSYRINGE_TOKEN,
  PROXY_TSYRINGE_TOKEN,
  registerClientInTsyringe,
} from "@anyscheme/core/tsyringe";
import type { NewsServerSettings } from "@anyscheme/scheme-others/news";
import { registerFtpInTsyringe } from "@anyscheme/scheme-ftp/tsyringe";
import { registerGopherInTsyringe } from "@anyscheme/scheme-gopher/tsyringe";
import { registerHttpInTsyringe } from "@anyscheme/scheme-http/tsyringe";
import {
  registerMailtoInTsyringe,
  registerNewsInTsyringe,
  registerNntpInTsyringe,
  registerProsperoInTsyringe,
  registerTelnetInTsyringe,
  registerWaisInTsyringe,
} from "@anyscheme/scheme-others/tsyringe";
import { container as root, type DependencyContainer } from "tsyringe";

export interface DefaultClientOptions {
  /** The policy that decides to which servers the gateway may connect. Default `publicInternet()`. */
  readonly policy?: Policy | undefined;
  readonly gateways?: GatewaysByScheme | undefined;
  /** The proxy of all connections to servers, or a function that returns the proxy of a URL. Default: none. */
  readonly proxy?: ProxyOption | undefined;
  /**
   * The cache for responses, such as `memoryCache({ shared: true })`. A gateway with several users needs a cache with
   * `shared: true`. Default: none.
   */
  readonly cache?: CacheStore | undefined;
  /**
   * The time for which stored Gopher responses are used again, in milliseconds. Default 0: the client of the gateway
   * stores no Gopher responses.
   */
  readonly gopherCacheTtlMs?: number | undefined;
  /** The news servers for `news:` URLs, in order of preference. Default: none. */
  readonly newsServers?: readonly (string | NewsServerSettings)[] | undefined;
}

// The option check of the gateway accepts any value of most client options, because the client, the policy and the news
// scheme check these values.
const ANY_OPTION_VALUE: OptionKind = { expects: "a value", accepts: () => true };
const GATEWAY_CLIENT_OPTIONS: OptionTable<DefaultClientOptions> = {
  policy: ANY_OPTION_VALUE,
  gateways: ANY_OPTION_VALUE,
  proxy: ANY_OPTION_VALUE,
  cache: ANY_OPTION_VALUE,
  gopherCacheTtlMs: createIntegerOptionKind(0),
  newsServers: ANY_OPTION_VALUE,
};

/** The functions that register schemes without options of the gateway. */
const SCHEME_REGISTRATIONS = [
  registerFtpInTsyringe,
  registerHttpInTsyringe,
  registerMailtoInTsyringe,
  registerNntpInTsyringe,
  registerProsperoInTsyringe,
  registerTelnetInTsyringe,
  registerWaisInTsyringe,
] as const;

/**
 * The tokens of options that a program may have registered in the global container for its own client. The gateway must
 * not send the program's credentials and cookies for requests of its users.
 */
const TOKENS_OF_OTHER_CLIENTS = [
  CACHE_TSYRINGE_TOKEN,
  CLIENT_OPTIONS_TSYRINGE_TOKEN,
  COOKIES_TSYRINGE_TOKEN,
  CREDENTIALS_TSYRINGE_TOKEN,
  GATEWAYS_TSYRINGE_TOKEN,
  LIMITS_TSYRINGE_TOKEN,
  LINK_LOCAL_ZONE_TSYRINGE_TOKEN,
  PROXY_TSYRINGE_TOKEN,
] as const;

/**
 * Creates a tsyringe container with all schemes except `file`. The caller may register further schemes and options in
 * the container. Registrations in the global container of tsyringe do not apply.
 */
export function createDefaultClientContainer(options: DefaultClientOptions = {}): DependencyContainer {
  checkOptions("createDefaultClientContainer", options, GATEWAY_CLIENT_OPTIONS);
  const { policy = publicInternet(), gateways, proxy, cache, newsServers = [] } = options;
  const { gopherCacheTtlMs: cacheTtlMs } = options;
  const container = root.createChildContainer();
  // In tsyringe, a registration in a child container hides those of its parent container. Later registrations in the
  // child container replace it.
  for (const token of TOKENS_OF_OTHER_CLIENTS)
    container.register<unknown>(token, { useFactory: () => undefined });
  for (const register of SCHEME_REGISTRATIONS) register(container);
  registerGopherInTsyringe(container, { cacheTtlMs });
  registerNewsInTsyringe(container, { servers: newsServers });
  container.register(POLICY_TSYRINGE_TOKEN, { useValue: policy });
  if (gateways) container.register(GATEWAYS_TSYRINGE_TOKEN, { useValue: gateways });
  if (proxy !== undefined) container.register<ProxyOption>(PROXY_TSYRINGE_TOKEN, { useValue: proxy });
  if (cache) container.register(CACHE_TSYRINGE_TOKEN, { useValue: cache });
  registerClientInTsyringe(container);
  return container;
}

/** Creates a client with all schemes except `file`. Registrations in the global container of tsyringe do not apply. */
export function createDefaultClient(options?: DefaultClientOptions): Client {
  return createDefaultClientContainer(options).resolve(CLIENT_TSYRINGE_TOKEN);
}
