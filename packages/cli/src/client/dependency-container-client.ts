import type { Client, ClientOptions, Scheme } from "@anyscheme/core";
import {
  CACHE_INJECTION_TOKEN,
  CLIENT_INJECTION_TOKEN,
  CREDENTIALS_INJECTION_TOKEN,
  GATEWAYS_INJECTION_TOKEN,
  LIMITS_INJECTION_TOKEN,
  LINK_LOCAL_ZONE_INJECTION_TOKEN,
  POLICY_INJECTION_TOKEN,
  PROXY_INJECTION_TOKEN,
  registerClient,
  registerScheme,
  SCHEME_INJECTION_TOKEN,
} from "@anyscheme/core/tsyringe";
import type { DependencyContainer, InjectionToken } from "tsyringe";

/** Returns the schemes that are registered in the tsyringe container of the embedding program. */
export function resolveSchemesFromTsyringe(host: DependencyContainer): readonly Scheme[] {
  return host.isRegistered(SCHEME_INJECTION_TOKEN, true) ? host.resolveAll(SCHEME_INJECTION_TOKEN) : [];
}

/**
 * Returns the options that the embedding program has registered for the gateway. Omits the credentials, cookies and
 * cache of the embedding program, because any user of the machine can send requests to the gateway.
 */
export function resolveGatewayOptionsFromTsyringe(
  host: DependencyContainer,
): Partial<Pick<ClientOptions, "policy" | "gateways" | "proxy" | "limits">> {
  return {
    ...(host.isRegistered(POLICY_INJECTION_TOKEN, true) && { policy: host.resolve(POLICY_INJECTION_TOKEN) }),
    ...(host.isRegistered(GATEWAYS_INJECTION_TOKEN, true) && {
      gateways: host.resolve(GATEWAYS_INJECTION_TOKEN),
    }),
    ...(host.isRegistered(PROXY_INJECTION_TOKEN, true) && { proxy: host.resolve(PROXY_INJECTION_TOKEN) }),
    ...(host.isRegistered(LIMITS_INJECTION_TOKEN, true) && { limits: host.resolve(LIMITS_INJECTION_TOKEN) }),
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
  for (const scheme of options.schemes) registerScheme(container, scheme);
  const registerDefault = <T>(token: InjectionToken<T>, value: T | undefined): void => {
    if (value !== undefined && !host.isRegistered(token, true))
      container.register<T>(token, { useValue: value });
  };
  registerDefault(POLICY_INJECTION_TOKEN, options.policy);
  registerDefault(CREDENTIALS_INJECTION_TOKEN, options.credentials);
  registerDefault(GATEWAYS_INJECTION_TOKEN, options.gateways);
  registerDefault(PROXY_INJECTION_TOKEN, options.proxy);
  registerDefault(CACHE_INJECTION_TOKEN, options.cache);
  registerDefault(LIMITS_INJECTION_TOKEN, options.limits);
  // The zone that the user has typed replaces the zone of the embedding program.
  if (options.linkLocalZone !== undefined)
    container.register(LINK_LOCAL_ZONE_INJECTION_TOKEN, { useValue: options.linkLocalZone });
  registerClient(container);
  return container.resolve(CLIENT_INJECTION_TOKEN);
}
