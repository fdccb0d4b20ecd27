import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { TelnetOptions } from "./options.ts";
import { telnet } from "./scheme.ts";

/** Adds the telnet scheme to a container. */
export function registerTelnetInContainer(container: DependencyContainer, options?: TelnetOptions): void {
  registerSchemeInContainer(container, telnet(options));
}
