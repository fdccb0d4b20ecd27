// The composition root of the command inside another program, whose container may hold other parts.
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

/** A client of these parts, of which each gives way to what the host has registered under its token; its schemes come first. */
export function createClientInContainer(host: DependencyContainer, parts: ClientOptions): Client {
  const container = host.createChildContainer();
  // What a child registers hides all that its parent has under a multi-token.
  const own = host.isRegistered(SCHEME, true) ? host.resolveAll(SCHEME) : [];
  const others = parts.schemes.filter(({ name }) => !own.some((scheme) => scheme.name === name));
  for (const scheme of [...own, ...others]) registerScheme(container, scheme);
  const supply = <T>(token: InjectionToken<T>, value: T | undefined): void => {
    if (value !== undefined && !host.isRegistered(token, true))
      container.register<T>(token, { useValue: value });
  };
  supply(POLICY, parts.policy);
  supply(CREDENTIALS, parts.credentials);
  supply(GATEWAYS, parts.gateways);
  supply(LIMITS, parts.limits);
  registerClient(container);
  return container.resolve(CLIENT);
}
