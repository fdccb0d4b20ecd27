import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { TelnetSchemeOptions } from "./scheme-options.ts";
import { telnet } from "./scheme.ts";

/** Registers the telnet scheme in a dependency-injection container of tsyringe. */
export function registerTelnetInTsyringe(
  container: DependencyContainer,
  options?: TelnetSchemeOptions,
): void {
  registerSchemeInTsyringe(container, telnet(options));
}
