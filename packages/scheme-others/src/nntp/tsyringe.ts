import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { NntpOptions } from "./scheme-options.ts";
import { nntp, nntps } from "./scheme.ts";

/** Registers the schemes nntp and nntps in a dependency-injection container of tsyringe. */
export function registerNntpInContainer(container: DependencyContainer, options: NntpOptions = {}): void {
  registerSchemeInContainer(container, nntp(options));
  registerSchemeInContainer(container, nntps({ ca: options.ca }));
}
