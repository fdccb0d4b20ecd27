// The composition root: the only room that knows the container.
import "@abraham/reflection";
import { type AskCredentials, type Client, type Policy, publicInternet, trusted } from "@anyscheme/core";
import { CLIENT, CREDENTIALS, POLICY, registerClient } from "@anyscheme/core/tsyringe";
import { container as root } from "tsyringe";
import type { AccessRow, SchemeSettings } from "./schemes.ts";

export interface Composition extends SchemeSettings {
  /** Further ports by scheme name. */
  readonly allowPorts: Readonly<Record<string, readonly number[]>>;
  readonly credentials?: AskCredentials | undefined;
}

/**
 * A client for these schemes. The URL that the user typed may lead to any address; what is reached from there only to public
 * ones, unless both are private.
 */
export async function composeClient(
  schemes: readonly AccessRow[],
  composition: Composition,
): Promise<Client> {
  const { allowPorts, credentials } = composition;
  const container = root.createChildContainer();
  for (const row of schemes) await row.register(container, composition);
  const policy: Policy = trusted({ allowPorts, onward: publicInternet() });
  container.register(POLICY, { useValue: policy });
  if (credentials) container.register(CREDENTIALS, { useValue: credentials });
  registerClient(container);
  return container.resolve(CLIENT);
}
