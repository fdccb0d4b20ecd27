import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { ProsperoOptions } from "./options.ts";
import { prospero } from "./scheme.ts";

/** Adds the scheme prospero to a container. */
export function registerProsperoInContainer(container: DependencyContainer, options?: ProsperoOptions): void {
  registerSchemeInContainer(container, prospero(options));
}
