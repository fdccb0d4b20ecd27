import type { TestProject } from "vitest/node";
import { prepareServers, type ServerAvailability } from "./programs/prepare-servers.ts";
import "./vitest-provided-context.ts";

let servers: readonly ServerAvailability[] = [];

function describeMissingServers({ name, reason, installCommand }: ServerAvailability): string {
  return `the tests against ${name} did not run (${reason}); to get it: ${installCommand}`;
}

function missingServers(): string[] {
  return servers.filter(({ available }) => !available).map(describeMissingServers);
}

/**
 * Prepares the real servers before the tests, and passes their availability to the tests.
 *
 * @throws Error when a server is missing and the environment has `CI`, since skipped tests are a failure there.
 */
export async function setup(project: TestProject): Promise<void> {
  servers = await prepareServers();
  project.provide("servers", servers);
  const missing = missingServers();
  if (missing.length > 0 && process.env["CI"]) throw new Error(missing.join("\n"));
}

/** Prints the missing servers, one per line. */
export function teardown(): void {
  for (const line of missingServers()) process.stderr.write(`${line}\n`);
}
