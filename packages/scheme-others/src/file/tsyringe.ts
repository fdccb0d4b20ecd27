import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { FileOptions } from "./options.ts";
import { file } from "./scheme.ts";

/** Adds the file scheme to a container. */
export function registerFileInContainer(container: DependencyContainer, options?: FileOptions): void {
  registerSchemeInContainer(container, file(options));
}
