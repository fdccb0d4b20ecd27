import type { Client, ClientOptions, Scheme } from "@anyscheme/core";
import {
  CACHE_TSYRINGE_TOKEN,
  CLIENT_TSYRINGE_TOKEN,
  CREDENTIALS_TSYRINGE_TOKEN,
  GATEWAYS_TSYRINGE_TOKEN,
  LIMITS_TSYRINGE_TOKEN,
  LINK_LOCAL_ZONE_TSYRINGE_TOKEN,
  POLICY_TSYRINGE_TOKEN,
  PROXY_TSYRINGE_TOKEN,
  registerClientInTsyringe,
  registerSchemeInTsyringe,
  SCHEME_TSYRINGE_TOKEN,
} from "@anyscheme/core/tsyringe";
import type { DependencyContainer, InjectionToken } from "tsyringe";

/** Returns the schemes that are registered in the tsyringe container of the embedding program. */
export function resolveSchemesFromTsyringe(host: DependencyContainer): readonly Scheme[] {
  return host.isRegistered(SCHEME_TSYRINGE_TOKEN, true) ? host.resolveAll(SCHEME_TSYRINGE_TOKEN) : [];
}

/**
 * Returns the options that the embedding program has registered for the gateway. Omits the credentials, cookies and
 * cache of the embedding program, because any user of the machine can send requests to the gateway.
 */
export function resolveGatewayOptionsFromTsyringe(
  host: DependencyContainer,
): Partial<Pick<ClientOptions, "policy" | "gateways" | "proxy" | "limits">> {
  return {
    ...(host.isRegistered(POLICY_TSYRINGE_TOKEN, true) && { policy: host.resolve(POLICY_TSYRINGE_TOKEN) }),
    ...(host.isRegistered(GATEWAYS_TSYRINGE_TOKEN, true) && {
      gateways: host.resolve(GATEWAYS_TSYRINGE_TOKEN),
    }),
    ...(host.isRegistered(PROXY_TSYRINGE_TOKEN, true) && { proxy: host.resolve(PROXY_TSYRINGE_TOKEN) }),
    ...(host.isRegistered(LIMITS_TSYRINGE_TOKEN, true) && { limits: host.resolve(LIMITS_TSYRINGE_TOKEN) }),
  };
}

/**
 * Creates a client from the given options. Registrations in the tsyringe container of the embedding program replace
 * options, except the link-local zone, and the schemes, which include those of the embedding program.
 */
export function createCommandClientFromTsyringe(host: DependencyContainer, options: ClientOptions): Client {
  const container = host.createChildContainer();
  // In tsyringe, registrations of a token in a child container hide all registrations of the same token in the
  // parent.
  for (const scheme of options.schemes) registerSchemeInTsyringe(container, scheme);
  const registerDefault = <T>(token: InjectionToken<T>, value: T | undefined): void => {
    if (value !== undefined && !host.isRegistered(token, true))
      container.register<T>(token, { useValue: value });
  };
  registerDefault(POLICY_TSYRINGE_TOKEN, options.policy);
  registerDefault(CREDENTIALS_TSYRINGE_TOKEN, options.credentials);
  registerDefault(GATEWAYS_TSYRINGE_TOKEN, options.gateways);
  registerDefault(PROXY_TSYRINGE_TOKEN, options.proxy);
  registerDefault(CACHE_TSYRINGE_TOKEN, options.cache);
  registerDefault(LIMITS_TSYRINGE_TOKEN, options.limits);
  // The zone that the user has typed replaces the zone of the embedding program.
  if (options.linkLocalZone !== undefined)
    container.register(LINK_LOCAL_ZONE_TSYRINGE_TOKEN, { useValue: options.linkLocalZone });
  registerClientInTsyringe(container);
  return container.resolve(CLIENT_TSYRINGE_TOKEN);
}
