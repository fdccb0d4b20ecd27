import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { FtpOptions } from "./scheme-options.ts";
import { ftp } from "./scheme.ts";

/** Registers the scheme `ftp` in a dependency-injection container of tsyringe. */
export function registerFtpInTsyringe(container: DependencyContainer, options?: FtpOptions): void {
  registerSchemeInTsyringe(container, ftp(options));
}
