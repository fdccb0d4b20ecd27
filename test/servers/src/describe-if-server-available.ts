import { describe, inject } from "vitest";
import type { TestProgramName } from "./programs/server-dependencies.ts";
import "./vitest-provided-context.ts";

/**
 * Calls `describe` for tests with a real server. Skips the tests if the server is missing, with the reason in
 * the title.
 */
export function describeIfServerAvailable(name: TestProgramName, title: string, tests: () => void): void {
  const server = inject("servers").find((candidate) => candidate.name === name);
  if (server?.available === true) {
    describe(title, tests);
    return;
  }
  describe.skip(`${title} [not run, no ${name}: ${server?.reason ?? "not prepared"}]`, tests);
}
