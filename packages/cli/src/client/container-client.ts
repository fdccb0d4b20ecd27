import type { Client, ClientOptions } from "@anyscheme/core";
import {
  CLIENT,
  CREDENTIALS,
  GATEWAYS,
  LIMITS,
  POLICY,
  registerClient,
  registerScheme,
  SCHEME,
} from "@anyscheme/core/tsyringe";
import type { DependencyContainer, InjectionToken } from "tsyringe";

/**
 * Creates a client from these options. Registrations in the host's container replace options. Schemes of the host
 * precede those of the options.
 */
export function createClientInContainer(host: DependencyContainer, options: ClientOptions): Client {
  const container = host.createChildContainer();
  // Registrations of a multi-token in a child container hide the parent's registrations.
  const hostSchemes = host.isRegistered(SCHEME, true) ? host.resolveAll(SCHEME) : [];
  const others = options.schemes.filter(({ name }) => !hostSchemes.some((scheme) => scheme.name === name));
  for (const scheme of [...hostSchemes, ...others]) registerScheme(container, scheme);
  const registerDefault = <T>(token: InjectionToken<T>, value: T | undefined): void => {
    if (value !== undefined && !host.isRegistered(token, true))
      container.register<T>(token, { useValue: value });
  };
  registerDefault(POLICY, options.policy);
  registerDefault(CREDENTIALS, options.credentials);
  registerDefault(GATEWAYS, options.gateways);
  registerDefault(LIMITS, options.limits);
  registerClient(container);
  return container.resolve(CLIENT);
}
