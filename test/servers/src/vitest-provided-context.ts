import type { ServerAvailability } from "./programs/prepare-servers.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The availability of the real servers, which `vitest-setup.ts` provides. */
    servers: readonly ServerAvailability[];
  }
}
