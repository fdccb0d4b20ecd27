import { existsSync } from "node:fs";
import { expect } from "vitest";
import type { RunningServer } from "../../src/running-server.ts";
import { isListening } from "../test-servers/send-and-receive.ts";

/** True while a process with this id exists. */
export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Stops a server and checks that its process, port and directory are gone. */
export async function stopServerAndExpectCleanup(server: RunningServer): Promise<void> {
  expect(isProcessAlive(server.pid)).toBe(true);
  expect(existsSync(server.directory)).toBe(true);
  await server.stop();
  expect(isProcessAlive(server.pid)).toBe(false);
  expect(existsSync(server.directory)).toBe(false);
  expect(await isListening(server.port, server.address)).toBe(false);
}
