import type { DependencyContainer, InjectionToken } from "tsyringe";
import type { CacheStore } from "./cache/cache-store.ts";
import type { CookieJar } from "./scheme/context.ts";
import { createClient } from "./client/client.ts";
import type { Client } from "./client/client-interface.ts";
import type { ClientOptions, CredentialProvider } from "./client/options.ts";
import type { GatewaysByScheme } from "./client/scheme-gateways.ts";
import type { ProxyOption } from "./network/proxy/proxy-settings.ts";
import type { ClientLimits } from "./policy/limits.ts";
import type { Policy } from "./policy/policy.ts";
import { schemeInstanceOptionKind } from "./client/check-scheme.ts";
import type { Scheme } from "./scheme/scheme.ts";
import { checkArgument } from "./options/check-options.ts";
import { createDuckTypeOptionKind } from "./options/option-kinds.ts";

// The tokens are in the global symbol registry, so that two copies of this module share them.

/**
 * The injection token of the client's schemes. `container.resolveAll(token)` of tsyringe returns all registered
 * schemes.
 */
export const SCHEME_TSYRINGE_TOKEN: InjectionToken<Scheme> = Symbol.for("anyscheme.Scheme");
export const POLICY_TSYRINGE_TOKEN: InjectionToken<Policy> = Symbol.for("anyscheme.Policy");
export const CREDENTIALS_TSYRINGE_TOKEN: InjectionToken<CredentialProvider> =
  Symbol.for("anyscheme.Credentials");
/** The injection token of the client's gateways, by scheme name. */
export const GATEWAYS_TSYRINGE_TOKEN: InjectionToken<GatewaysByScheme> = Symbol.for("anyscheme.Gateways");
/** The token of the proxy, or of the function that returns the proxy of a URL. */
export const PROXY_TSYRINGE_TOKEN: InjectionToken<ProxyOption> = Symbol.for("anyscheme.Proxy");
/** The injection token of the client's cache for responses. */
export const CACHE_TSYRINGE_TOKEN: InjectionToken<CacheStore> = Symbol.for("anyscheme.Cache");
/** The injection token of the client's cookie jar. */
export const COOKIES_TSYRINGE_TOKEN: InjectionToken<CookieJar> = Symbol.for("anyscheme.Cookies");
/** The injection token of the client limits that differ from the defaults. */
export const LIMITS_TSYRINGE_TOKEN: InjectionToken<Partial<ClientLimits>> = Symbol.for("anyscheme.Limits");
/** The injection token of the client's zone of link-local IPv6 addresses. */
export const LINK_LOCAL_ZONE_TSYRINGE_TOKEN: InjectionToken<string> = Symbol.for("anyscheme.LinkLocalZone");
/** The token of the further options of the client, such as `resolver`, `retry`, `trace`, `mode` and `email`. */
export const CLIENT_OPTIONS_TSYRINGE_TOKEN: InjectionToken<Partial<Omit<ClientOptions, "schemes">>> =
  Symbol.for("anyscheme.ClientOptions");
/** The injection token of the client that {@link registerClientInTsyringe} registers. */
export const CLIENT_TSYRINGE_TOKEN: InjectionToken<Client> = Symbol.for("anyscheme.Client");

const CONTAINER_OPTION_KIND = createDuckTypeOptionKind("a container of tsyringe", {
  register: "function",
  resolve: "function",
});

/** Registers a scheme in a tsyringe container. The schemes of a child container replace those of its parent. */
export function registerSchemeInTsyringe(container: DependencyContainer, scheme: Scheme): void {
  checkArgument("registerSchemeInTsyringe", "container", container, CONTAINER_OPTION_KIND);
  checkArgument("registerSchemeInTsyringe", "scheme", scheme, schemeInstanceOptionKind);
  container.register(SCHEME_TSYRINGE_TOKEN, { useValue: scheme });
}

/**
 * Registers one client for the container under the token {@link CLIENT_TSYRINGE_TOKEN}. The first call of `resolve`
 * creates the client from the schemes and options of `container`. Registrations in a child container do not apply to this
 * client: call `registerClientInTsyringe` for the child container too. The container does not close the client. Call `await
 * container.resolve(CLIENT_TSYRINGE_TOKEN).close()`.
 */
export function registerClientInTsyringe(container: DependencyContainer): void {
  checkArgument("registerClientInTsyringe", "container", container, CONTAINER_OPTION_KIND);
  let client: Client | undefined;
  container.register(CLIENT_TSYRINGE_TOKEN, {
    useFactory: () => (client ??= createClientFrom(container)),
  });
}

function createClientFrom(container: DependencyContainer): Client {
  const registered = <T>(token: InjectionToken<T>): T | undefined =>
    container.isRegistered(token, true) ? container.resolve(token) : undefined;
  const options: Partial<ClientOptions> = registered(CLIENT_OPTIONS_TSYRINGE_TOKEN) ?? {};
  return createClient({
    ...options,
    schemes: container.isRegistered(SCHEME_TSYRINGE_TOKEN, true)
      ? container.resolveAll(SCHEME_TSYRINGE_TOKEN)
      : [],
    policy: registered(POLICY_TSYRINGE_TOKEN) ?? options.policy,
    credentials: registered(CREDENTIALS_TSYRINGE_TOKEN) ?? options.credentials,
    gateways: registered(GATEWAYS_TSYRINGE_TOKEN) ?? options.gateways,
    proxy: registered(PROXY_TSYRINGE_TOKEN) ?? options.proxy,
    cache: registered(CACHE_TSYRINGE_TOKEN) ?? options.cache,
    cookies: registered(COOKIES_TSYRINGE_TOKEN) ?? options.cookies,
    limits: registered(LIMITS_TSYRINGE_TOKEN) ?? options.limits,
    linkLocalZone: registered(LINK_LOCAL_ZONE_TSYRINGE_TOKEN) ?? options.linkLocalZone,
  });
}
