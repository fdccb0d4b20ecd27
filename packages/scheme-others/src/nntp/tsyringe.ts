import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { NntpOptions } from "./options.ts";
import { nntp, nntps } from "./scheme.ts";

/** Adds the schemes nntp and nntps to a container. */
export function registerNntpInContainer(container: DependencyContainer, options: NntpOptions = {}): void {
  registerSchemeInContainer(container, nntp(options));
  registerSchemeInContainer(container, nntps({ ca: options.ca }));
}
