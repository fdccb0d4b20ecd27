import { describe, inject } from "vitest";
import type { ServerName } from "./programs/catalogue.ts";
import "./provided-context.ts";

/** `describe` for tests against a real server; without the server they are skipped, and the title says why. */
export function describeWithServer(name: ServerName, title: string, tests: () => void): void {
  const server = inject("servers").find((candidate) => candidate.name === name);
  if (server?.available === true) {
    describe(title, tests);
    return;
  }
  describe.skip(`${title} [not run, no ${name}: ${server?.reason ?? "not prepared"}]`, tests);
}
