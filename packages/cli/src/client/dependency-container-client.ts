import type { Client, ClientOptions } from "@anyscheme/core";
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

/** True when a scheme with the given name is registered in the tsyringe container of the host program. */
export function hasSchemeInDependencyContainer(host: DependencyContainer, name: string): boolean {
  return (
    host.isRegistered(SCHEME_TOKEN, true) &&
    host.resolveAll(SCHEME_TOKEN).some((scheme) => scheme.name === name)
  );
}

/**
 * Creates a client from the given options. Registrations in the tsyringe container of the host program replace options.
 * A scheme of the host program replaces the scheme with the same name in the options.
 */
export function createClientInDependencyContainer(host: DependencyContainer, options: ClientOptions): Client {
  const container = host.createChildContainer();
  // In tsyringe, registrations of a token in a child container hide all registrations of the same token in the
  // parent.
  const hostSchemes = host.isRegistered(SCHEME_TOKEN, true) ? host.resolveAll(SCHEME_TOKEN) : [];
  const others = options.schemes.filter(({ name }) => !hostSchemes.some((scheme) => scheme.name === name));
  for (const scheme of [...hostSchemes, ...others]) registerScheme(container, scheme);
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
