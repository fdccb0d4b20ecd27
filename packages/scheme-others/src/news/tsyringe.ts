import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { NewsOptions } from "./scheme-options.ts";
import { news, snews } from "./scheme.ts";

/** Registers the schemes news and snews in a dependency-injection container of tsyringe. */
export function registerNewsInTsyringe(container: DependencyContainer, options?: NewsOptions): void {
  registerSchemeInTsyringe(container, news(options));
  registerSchemeInTsyringe(container, snews(options));
}
