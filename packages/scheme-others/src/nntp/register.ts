import { registerScheme } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { NntpOptions } from "./options.ts";
import { nntp, nntps } from "./scheme.ts";

/** Registers the schemes nntp and nntps in a dependency-injection container of tsyringe. */
export function registerNntp(container: DependencyContainer, options: NntpOptions = {}): void {
  registerScheme(container, nntp(options));
  registerScheme(container, nntps({ ca: options.ca }));
}
