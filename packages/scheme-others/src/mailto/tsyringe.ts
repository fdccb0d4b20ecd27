import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import { mailto } from "./scheme.ts";

/** Adds the mailto scheme to a container. */
export function registerMailtoInContainer(container: DependencyContainer): void {
  registerSchemeInContainer(container, mailto());
}
