import { registerScheme } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { WaisOptions } from "./options.ts";
import { wais } from "./scheme.ts";

/** Adds the scheme wais to a container. */
export function registerWais(container: DependencyContainer, options?: WaisOptions): void {
  registerScheme(container, wais(options));
}
