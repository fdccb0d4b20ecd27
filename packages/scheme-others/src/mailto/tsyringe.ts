import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import { mailto } from "./scheme.ts";

/** Registers the mailto scheme in a dependency-injection container of tsyringe. */
export function registerMailtoInTsyringe(container: DependencyContainer): void {
  registerSchemeInTsyringe(container, mailto());
}
