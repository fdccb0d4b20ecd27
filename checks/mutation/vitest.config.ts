import { defineConfig } from "vitest/config";
import whole from "../../vitest.config.ts";

/** The tests of the guard alone; no real server, so no set-up. */
export default defineConfig({
  resolve: whole.resolve ?? {},
  test: {
    include: ["packages/core/test/guard/*.test.ts"],
    testTimeout: 20_000,
    isolate: false,
  },
});
