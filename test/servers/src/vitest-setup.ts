import type { TestProject } from "vitest/node";
import { prepareServers, type ServerAvailability } from "./programs/prepare.ts";
import "./provided-context.ts";

let servers: readonly ServerAvailability[] = [];

function describeMissing({ name, reason, howToGet }: ServerAvailability): string {
  return `the tests against ${name} did not run (${reason}); to get it: ${howToGet}`;
}

function missingServers(): string[] {
  return servers.filter(({ available }) => !available).map(describeMissing);
}

/**
 * Gets the real servers before the tests and tells the tests which there are.
 *
 * @throws Error when one is missing and the environment has `CI`: there, tests that do not run are a failure.
 */
export async function setup(project: TestProject): Promise<void> {
  servers = await prepareServers();
  project.provide("servers", servers);
  const missing = missingServers();
  if (missing.length > 0 && process.env["CI"]) throw new Error(missing.join("\n"));
}

/** Says, in one line each, which servers were missing. */
export function teardown(): void {
  for (const line of missingServers()) process.stderr.write(`${line}\n`);
}
