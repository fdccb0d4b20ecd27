import { defineConfig } from "vitest/config";
import whole from "../../vitest.config.ts";

const fewRuns = new URL("few-runs.ts", import.meta.url).pathname;

/** The tests of the guard alone; no real server, so no set-up. */
export default defineConfig({
  resolve: {
    alias: [
      ...((whole.resolve?.alias ?? []) as { find: RegExp; replacement: string }[]),
      { find: /^fast-check$/, replacement: fewRuns },
    ],
  },
  test: {
    include: ["packages/core/test/{policy,network}/*.test.ts"],
    // Counts what its many runs have met.
    exclude: ["packages/core/test/policy/ip-address-oracle.test.ts"],
    testTimeout: 20_000,
    isolate: false,
  },
});
