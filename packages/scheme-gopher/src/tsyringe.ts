import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { GophersOptions } from "./scheme-options.ts";
import { gopher, gophers } from "./scheme.ts";

/** Registers the schemes gopher and gophers in a dependency-injection container of tsyringe. */
export function registerGopherInContainer(
  container: DependencyContainer,
  options: GophersOptions = {},
): void {
  const { ca: _, ...common } = options;
  registerSchemeInContainer(container, gopher(common));
  registerSchemeInContainer(container, gophers(options));
}
