import {
  type Client,
  type ClientOptions,
  createClient,
  type CredentialProvider,
  type Limits,
  publicInternet,
  anyAddress,
} from "@anyscheme/core";
import type { Gateways } from "@anyscheme/core/plugin";
import type { DependencyContainer } from "tsyringe";
import { UsageError } from "../errors/cli-errors.ts";
import type { SchemePackage, SchemeSettings } from "./scheme-packages.ts";

export interface CreateClientOptions extends SchemeSettings {
  /** Additional ports by scheme. */
  readonly allowPorts: Readonly<Record<string, readonly number[]>>;
  readonly credentials?: CredentialProvider | undefined;
  readonly gateways?: Gateways | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/**
 * Creates a client for the schemes of these packages. URLs of the command line may have any address. Redirects from
 * a public address may target only public addresses. Registrations in the host's container replace these options.
 * Throws `UsageError` for an invalid gateway.
 */
export async function createClientForSchemes(
  packages: readonly SchemePackage[],
  options: CreateClientOptions,
  host?: DependencyContainer,
): Promise<Client> {
  const { allowPorts, credentials, gateways, limits } = options;
  const schemes = await Promise.all(packages.map((each) => each.loadSchemes(options)));
  const policy = anyAddress({ allowPorts, redirectPolicy: publicInternet() });
  const clientOptions: ClientOptions = { schemes: schemes.flat(), policy, credentials, gateways, limits };
  try {
    return host
      ? (await import("./container-client.ts")).createClientInContainer(host, clientOptions)
      : createClient(clientOptions);
  } catch (error) {
    // createClient() checks the URL template and its scheme.
    const { message } = error as Error;
    throw message.startsWith("the gateway for") ? new UsageError(message) : error;
  }
}
