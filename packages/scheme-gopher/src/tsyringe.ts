import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { GophersOptions } from "./options.ts";
import { gopher, gophers } from "./scheme.ts";

/** Adds the schemes gopher and gophers to a container. */
export function registerGopherInContainer(
  container: DependencyContainer,
  options: GophersOptions = {},
): void {
  const { ca: _, ...common } = options;
  registerSchemeInContainer(container, gopher(common));
  registerSchemeInContainer(container, gophers(options));
}
