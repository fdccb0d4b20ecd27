// The composition root of the command as a program: it loads the schemes that a command line needs, and nothing of the container.
import {
  type CredentialProvider,
  type Client,
  type ClientOptions,
  createClient,
  type Limits,
  publicInternet,
  anyAddress,
} from "@anyscheme/core";
import type { Gateways } from "@anyscheme/core/plugin";
import type { DependencyContainer } from "tsyringe";
import { UsageError } from "../args/command-line.ts";
import type { AccessRow, SchemeSettings } from "./scheme-packages.ts";

export interface CreateClientOptions extends SchemeSettings {
  /** Further ports by scheme name. */
  readonly allowPorts: Readonly<Record<string, readonly number[]>>;
  readonly credentials?: CredentialProvider | undefined;
  readonly gateways?: Gateways | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/**
 * A client for these schemes. The URL that the user typed may lead to any address; what is reached from there only to public
 * ones, unless both are private. What the container of a host application has registered goes before all of this. Throws
 * `UsageError` for a gateway that is not valid.
 */
export async function createClientForSchemes(
  rows: readonly AccessRow[],
  composition: CreateClientOptions,
  host?: DependencyContainer,
): Promise<Client> {
  const { allowPorts, credentials, gateways, limits } = composition;
  const schemes = await Promise.all(rows.map((row) => row.schemes(composition)));
  const policy = anyAddress({ allowPorts, redirectPolicy: publicInternet() });
  const parts: ClientOptions = { schemes: schemes.flat(), policy, credentials, gateways, limits };
  try {
    return host
      ? (await import("./container-client.ts")).createClientInContainer(host, parts)
      : createClient(parts);
  } catch (error) {
    // A locator that is no URL, or one of a scheme that cannot be reached: only the client can tell.
    const { message } = error as Error;
    throw message.startsWith("the gateway for") ? new UsageError(message) : error;
  }
}
