import { defineConfig } from "vitest/config";
import whole from "../../vitest.config.ts";
export default defineConfig({ resolve: whole.resolve ?? {}, test: { include: ["checks/fuzz/*.test.ts"], testTimeout: 60_000 } });
