import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

/** Creates a folder that is removed after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "anyscheme-cli-"));
  folders.push(folder);
  return folder;
}

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
