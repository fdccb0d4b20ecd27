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

/** Creates a client from these options. Registrations in the host's container replace an option; its schemes come first. */
export function createClientInContainer(host: DependencyContainer, options: ClientOptions): Client {
  const container = host.createChildContainer();
  // Registrations of a child container hide those of its parent under a multi-token.
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
