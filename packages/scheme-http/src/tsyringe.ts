import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { HttpsOptions } from "./scheme-options.ts";
import { http, https } from "./scheme.ts";

/**
 * Registers the http and https schemes in a dependency-injection container of tsyringe. Only https uses the TLS
 * options.
 */
export function registerHttpInTsyringe(container: DependencyContainer, options: HttpsOptions = {}): void {
  const { ca: _ca, cert: _cert, key: _key, passphrase: _passphrase, ...common } = options;
  registerSchemeInTsyringe(container, http(common));
  registerSchemeInTsyringe(container, https(options));
}
