import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { WaisOptions } from "./scheme-options.ts";
import { wais } from "./scheme.ts";

/** Registers the scheme wais in a dependency-injection container of tsyringe. */
export function registerWaisInTsyringe(container: DependencyContainer, options?: WaisOptions): void {
  registerSchemeInTsyringe(container, wais(options));
}
