import type { TestProject } from "vitest/node";
import { downloadMissingServers, type ServerAvailability } from "./programs/download-missing-servers.ts";
import "./vitest-provided-context.ts";

let serverAvailabilities: readonly ServerAvailability[] = [];

function describeMissingServer({ name, reason, installCommand }: ServerAvailability): string {
  return `the tests against ${name} did not run (${reason}); to install it: ${installCommand}`;
}

function listMissingServers(): string[] {
  return serverAvailabilities.filter(({ available }) => !available).map(describeMissingServer);
}

/**
 * Prepares the real servers before the tests, and passes their availability to the tests.
 *
 * @throws Error when a server is missing and the environment has `CI`, since skipped tests are a failure there.
 */
export async function setup(project: TestProject): Promise<void> {
  serverAvailabilities = await downloadMissingServers();
  project.provide("servers", serverAvailabilities);
  const missing = listMissingServers();
  if (missing.length > 0 && process.env["CI"]) throw new Error(missing.join("\n"));
}

/** Prints the servers that are not available to the tests, one per line. */
export function teardown(): void {
  for (const line of listMissingServers()) process.stderr.write(`${line}\n`);
}
