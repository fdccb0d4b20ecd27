import { registerScheme } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { NewsOptions } from "./options.ts";
import { news } from "./scheme.ts";

/** Adds the scheme news to a container. */
export function registerNews(container: DependencyContainer, options?: NewsOptions): void {
  registerScheme(container, news(options));
}
