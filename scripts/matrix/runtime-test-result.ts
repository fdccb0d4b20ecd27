import { KNOWN_RUNTIME_FAILURES } from "./known-failures.ts";

/** One cell of the matrix: the result of one test program on one runtime. */
export interface RuntimeTestResult {
  readonly toolName: string;
  readonly testName: string;
  readonly outcome: "ok" | "cannot" | "FAILED";
  /** The reason for the failure, or an empty text for a cell without a failure. */
  readonly failureReason: string;
}

/**
 * Returns the matrix cell for the output of a failed program, or for `undefined` after a success. The outcome of
 * a known failure is `cannot` when the output contains the expected text.
 */
export function createRuntimeTestResult(
  tool: string,
  row: string,
  failure: string | undefined,
  all: typeof KNOWN_RUNTIME_FAILURES = KNOWN_RUNTIME_FAILURES,
): RuntimeTestResult {
  const known = all.find((each) => each.toolName === tool && each.testName === row);
  if (failure === undefined) {
    return known
      ? {
          toolName: tool,
          testName: row,
          outcome: "FAILED",
          failureReason: `the program succeeds, so remove the known failure: ${known.reason}`,
        }
      : { toolName: tool, testName: row, outcome: "ok", failureReason: "" };
  }
  return known && failure.includes(known.expectedOutput)
    ? { toolName: tool, testName: row, outcome: "cannot", failureReason: known.reason }
    : { toolName: tool, testName: row, outcome: "FAILED", failureReason: failure };
}
