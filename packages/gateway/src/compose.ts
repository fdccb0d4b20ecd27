// A composition root: the one room of this package that knows the container.
import "@abraham/reflection";
import { type Client, type Gateways, type Policy, publicInternet } from "@anyscheme/core";
import { checkOptions, type optionKinds, type OptionTable } from "@anyscheme/core/plugin";
import { CLIENT, GATEWAYS, POLICY, registerClient } from "@anyscheme/core/tsyringe";
import type { NewsServer } from "@anyscheme/scheme-others/news";
import { registerFtp } from "@anyscheme/scheme-ftp/register";
import { registerGopher } from "@anyscheme/scheme-gopher/register";
import { registerHttp } from "@anyscheme/scheme-http/register";
import {
  registerMailto,
  registerNews,
  registerNntp,
  registerProspero,
  registerTelnet,
  registerWais,
} from "@anyscheme/scheme-others/register";
import { container as root, type DependencyContainer } from "tsyringe";

export interface Composition {
  /** What the gateway may reach. Default `publicInternet()`. */
  readonly policy?: Policy | undefined;
  readonly gateways?: Gateways | undefined;
  /** Where `news:` URLs are looked for, in this order. Default: nowhere. */
  readonly newsServers?: readonly (string | NewsServer)[] | undefined;
}

// What the values have to be is checked by those that take them.
const given: optionKinds.OptionKind = { expects: "a value", accepts: () => true };
const COMPOSITION: OptionTable<Composition> = { policy: given, gateways: given, newsServers: given };

/** The schemes that need no setting. */
const REGISTERS = [
  registerFtp,
  registerHttp,
  registerGopher,
  registerMailto,
  registerNntp,
  registerProspero,
  registerTelnet,
  registerWais,
] as const;

/** A container with the schemes that a gateway shows; file is not among them. Whoever embeds it may register further ones. */
export function composeContainer(composition: Composition = {}): DependencyContainer {
  checkOptions("composeContainer", composition, COMPOSITION);
  const { policy = publicInternet(), gateways, newsServers = [] } = composition;
  const container = root.createChildContainer();
  for (const register of REGISTERS) register(container);
  registerNews(container, { servers: newsServers });
  container.register(POLICY, { useValue: policy });
  if (gateways) container.register(GATEWAYS, { useValue: gateways });
  registerClient(container);
  return container;
}

/** The client of such a container. */
export function composeClient(composition?: Composition): Client {
  return composeContainer(composition).resolve(CLIENT);
}
