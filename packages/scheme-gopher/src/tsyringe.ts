import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { GophersOptions } from "./scheme-options.ts";
import { gopher, gophers } from "./scheme.ts";

/** Registers the schemes gopher and gophers in a dependency-injection container of tsyringe. */
export function registerGopherInTsyringe(container: DependencyContainer, options: GophersOptions = {}): void {
  const { ca: _, ...common } = options;
  registerSchemeInTsyringe(container, gopher(common));
  registerSchemeInTsyringe(container, gophers(options));
}
