import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { NntpOptions } from "./scheme-options.ts";
import { nntp, nntps } from "./scheme.ts";

/** Registers the schemes nntp and nntps in a dependency-injection container of tsyringe. */
export function registerNntpInTsyringe(container: DependencyContainer, options: NntpOptions = {}): void {
  registerSchemeInTsyringe(container, nntp(options));
  registerSchemeInTsyringe(container, nntps({ ca: options.ca }));
}
