import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { NewsOptions } from "./scheme-options.ts";
import { news, snews } from "./scheme.ts";

/** Registers the schemes news and snews in a dependency-injection container of tsyringe. */
export function registerNewsInContainer(container: DependencyContainer, options?: NewsOptions): void {
  registerSchemeInContainer(container, news(options));
  registerSchemeInContainer(container, snews(options));
}
