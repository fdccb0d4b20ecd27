import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import { mailto } from "./scheme.ts";

/** Registers the mailto scheme in a dependency-injection container of tsyringe. */
export function registerMailtoInContainer(container: DependencyContainer): void {
  registerSchemeInContainer(container, mailto());
}
