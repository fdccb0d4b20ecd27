import type { Client, ClientOptions, Scheme } from "@anyscheme/core";
import {
  CACHE_TOKEN,
  CLIENT_TOKEN,
  CREDENTIALS_TOKEN,
  GATEWAYS_TOKEN,
  LIMITS_TOKEN,
  LINK_LOCAL_ZONE_TOKEN,
  POLICY_TOKEN,
  PROXY_TOKEN,
  registerClient,
  registerScheme,
  SCHEME_TOKEN,
} from "@anyscheme/core/tsyringe";
import type { DependencyContainer, InjectionToken } from "tsyringe";

/** Returns the schemes that are registered in the tsyringe container of the host program. */
export function listHostSchemes(host: DependencyContainer): readonly Scheme[] {
  return host.isRegistered(SCHEME_TOKEN, true) ? host.resolveAll(SCHEME_TOKEN) : [];
}

/**
 * Returns the options of a gateway that the host program has registered. Its credentials, cookies and cache stay its
 * own, because any user of the machine can send requests to the gateway.
 */
export function getGatewayOptionsOfHost(
  host: DependencyContainer,
): Partial<Pick<ClientOptions, "policy" | "gateways" | "proxy" | "limits">> {
  return {
    ...(host.isRegistered(POLICY_TOKEN, true) && { policy: host.resolve(POLICY_TOKEN) }),
    ...(host.isRegistered(GATEWAYS_TOKEN, true) && { gateways: host.resolve(GATEWAYS_TOKEN) }),
    ...(host.isRegistered(PROXY_TOKEN, true) && { proxy: host.resolve(PROXY_TOKEN) }),
    ...(host.isRegistered(LIMITS_TOKEN, true) && { limits: host.resolve(LIMITS_TOKEN) }),
  };
}

/**
 * Creates a client from the given options. Registrations in the tsyringe container of the host program replace options,
 * except the schemes, which include those of the host program.
 */
export function createClientInDependencyContainer(host: DependencyContainer, options: ClientOptions): Client {
  const container = host.createChildContainer();
  // In tsyringe, registrations of a token in a child container hide all registrations of the same token in the
  // parent.
  for (const scheme of options.schemes) registerScheme(container, scheme);
  const registerDefault = <T>(token: InjectionToken<T>, value: T | undefined): void => {
    if (value !== undefined && !host.isRegistered(token, true))
      container.register<T>(token, { useValue: value });
  };
  registerDefault(POLICY_TOKEN, options.policy);
  registerDefault(CREDENTIALS_TOKEN, options.credentials);
  registerDefault(GATEWAYS_TOKEN, options.gateways);
  registerDefault(PROXY_TOKEN, options.proxy);
  registerDefault(CACHE_TOKEN, options.cache);
  registerDefault(LIMITS_TOKEN, options.limits);
  // The zone that the user has typed replaces the zone of the host program.
  if (options.linkLocalZone !== undefined)
    container.register(LINK_LOCAL_ZONE_TOKEN, { useValue: options.linkLocalZone });
  registerClient(container);
  return container.resolve(CLIENT_TOKEN);
}
