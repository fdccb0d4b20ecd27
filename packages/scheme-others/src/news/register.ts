import { registerScheme } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { NewsOptions } from "./options.ts";
import { news, snews } from "./scheme.ts";

/** Registers the schemes news and snews in a dependency-injection container of tsyringe. */
export function registerNews(container: DependencyContainer, options?: NewsOptions): void {
  registerScheme(container, news(options));
  registerScheme(container, snews(options));
}
