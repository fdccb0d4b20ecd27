import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { ProsperoOptions } from "./scheme-options.ts";
import { prospero } from "./scheme.ts";

/** Registers the scheme prospero in a dependency-injection container of tsyringe. */
export function registerProsperoInTsyringe(container: DependencyContainer, options?: ProsperoOptions): void {
  registerSchemeInTsyringe(container, prospero(options));
}
