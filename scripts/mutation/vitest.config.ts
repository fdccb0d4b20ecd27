import { defineConfig } from "vitest/config";
import whole from "../../vitest.config.ts";

const fewRuns = new URL("fast-check-with-fewer-runs.ts", import.meta.url).pathname;

/** Runs only the tests of the guard, without set-up, since they need no real server. */
export default defineConfig({
  resolve: {
    alias: [
      ...((whole.resolve?.alias ?? []) as { find: RegExp; replacement: string }[]),
      { find: /^fast-check$/, replacement: fewRuns },
    ],
  },
  test: {
    include: ["packages/core/test/{policy,network}/*.test.ts"],
    // This test counts the cases of many runs.
    exclude: ["packages/core/test/policy/ip-address-oracle.test.ts"],
    testTimeout: 20_000,
    isolate: false,
  },
});
