import type { ServerAvailability } from "./programs/prepare.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What `vitest-setup.ts` found out about the real servers. */
    servers: readonly ServerAvailability[];
  }
}
