import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { FileOptions } from "./scheme-options.ts";
import { file } from "./scheme.ts";

/** Registers the file scheme in a dependency-injection container of tsyringe. */
export function registerFileInTsyringe(container: DependencyContainer, options?: FileOptions): void {
  registerSchemeInTsyringe(container, file(options));
}
