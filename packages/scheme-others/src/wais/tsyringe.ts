import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { WaisOptions } from "./options.ts";
import { wais } from "./scheme.ts";

/** Adds the scheme wais to a container. */
export function registerWaisInContainer(container: DependencyContainer, options?: WaisOptions): void {
  registerSchemeInContainer(container, wais(options));
}
