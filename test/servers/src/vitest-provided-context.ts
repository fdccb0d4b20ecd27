import type { ServerAvailability } from "./programs/download-missing-servers.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The availability of the real servers, which `vitest-global-setup.ts` provides. */
    servers: readonly ServerAvailability[];
  }
}
