import { defineConfig } from "vitest/config";
import whole from "../../vitest.config.ts";

const fastCheckReplacement = new URL("fast-check-with-fewer-runs.ts", import.meta.url).pathname;

/**
 * The mutation test runs only the tests of the guard. The tests of the guard need no real server, so there is no
 * global setup.
 */
export default defineConfig({
  resolve: {
    alias: [
      ...((whole.resolve?.alias ?? []) as { find: RegExp; replacement: string }[]),
      { find: /^fast-check$/, replacement: fastCheckReplacement },
    ],
  },
  test: {
    include: ["packages/core/test/{policy,network,http-agent}/**/*.test.ts"],
    // `refused-blocks-oracle.test.ts` counts the cases of many runs, so the test fails with fewer runs.
    exclude: ["packages/core/test/policy/addresses/refused-blocks-oracle.test.ts"],
    testTimeout: 20_000,
    isolate: false,
  },
});
