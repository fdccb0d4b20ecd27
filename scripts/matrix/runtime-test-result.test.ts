import { describe, expect, it } from "vitest";
import { createRuntimeTestResult } from "./runtime-test-result.ts";
import { KNOWN_RUNTIME_FAILURES } from "./known-failures.ts";
import { PACKAGE_RUNTIME_TESTS } from "./package-runtime-tests.ts";
import { TYPESCRIPT_COMPILERS, RUNTIMES } from "./runtimes.ts";

const toolNames = [...RUNTIMES, ...TYPESCRIPT_COMPILERS].map(({ columnHeading: name }) => name);

describe("the result of a test program on a runtime", () => {
  it.each([
    ["ok", undefined, undefined],
    ["FAILED", "unexpected output", undefined],
    ["cannot", "error: no such module", "no such module"],
    ["FAILED", "error: timeout", "no such module"],
    ["FAILED", undefined, "no such module"],
  ])(
    "the result is %s when the tool prints %s and the known failure is %s",
    (outcome, failure, expectedOutput) => {
      const known =
        expectedOutput === undefined
          ? []
          : [{ toolName: "bun", testName: "ftp", expectedOutput, reason: "the runtime has no such module" }];
      expect(createRuntimeTestResult("bun", "ftp", failure, known)).toMatchObject({
        toolName: "bun",
        testName: "ftp",
        outcome,
      });
    },
  );

  it.each(KNOWN_RUNTIME_FAILURES)(
    "a known failure names an existing tool and row: $toolName, $testName",
    ({ toolName: tool, testName: row, reason }) => {
      expect(toolNames).toContain(tool);
      expect(["types", ...PACKAGE_RUNTIME_TESTS.map(({ name }) => name)]).toContain(row);
      expect(reason.length).toBeGreaterThan(20);
    },
  );
});
