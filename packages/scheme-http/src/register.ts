import { registerScheme } from "@anyscheme/core/tsyringe";
import type { DependencyContainer } from "tsyringe";
import type { HttpsOptions } from "./options.ts";
import { http, https } from "./scheme.ts";

/** Adds the http and https schemes to a container: each redirects to the other as a matter of course. */
export function registerHttp(container: DependencyContainer, options?: HttpsOptions): void {
  registerScheme(container, http(options));
  registerScheme(container, https(options));
}
