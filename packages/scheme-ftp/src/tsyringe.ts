import { registerSchemeInContainer } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { FtpOptions } from "./options.ts";
import { ftp } from "./scheme.ts";

/** Adds the scheme `ftp` to a container. */
export function registerFtpInContainer(container: DependencyContainer, options?: FtpOptions): void {
  registerSchemeInContainer(container, ftp(options));
}
