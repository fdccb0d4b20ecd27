import { registerScheme } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { ProsperoOptions } from "./options.ts";
import { prospero } from "./scheme.ts";

/** Registers the scheme prospero in a dependency-injection container of tsyringe. */
export function registerProspero(container: DependencyContainer, options?: ProsperoOptions): void {
  registerScheme(container, prospero(options));
}
