import type { ServerAvailability } from "./programs/prepare-servers.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The availability of the real servers, from `vitest-setup.ts`. */
    servers: readonly ServerAvailability[];
  }
}
