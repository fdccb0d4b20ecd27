import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runBuiltCommand } from "../run-built-command.ts";
import { readFolderContents } from "./read-folder-contents.ts";

/** Creates a folder with two trees that have the same folder name, and a third tree with another name. */
function createTrees(): string {
  const root = createTemporaryFolder();
  for (const [folder, text] of [
    ["v1/docs", "one"],
    ["v2/docs", "other"],
    ["v2/maps", "map"],
  ] as const) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "readme.txt"), text);
  }
  return root;
}

it("get -r refuses a second URL whose folder another URL has filled, and copies the URLs after it", async () => {
  const cwd = createTemporaryFolder();
  const { exitCode, stderr } = await runBuiltCommand(
    ["get", "-r", "--file-root", createTrees(), "file:///v1/docs/", "file:///v2/docs/", "file:///v2/maps/"],
    { cwd },
  );
  expect({ exitCode, stderr: stderr.split("\n"), tree: readFolderContents(cwd) }).toEqual({
    exitCode: 2,
    stderr: [
      "file:///v1/docs/: 1 saved, 0 up to date, 0 skipped, 0 external, 0 failed",
      "anyscheme: another URL is already saved in docs; give each URL its own command with --output",
      "see: anyscheme --help get",
      "file:///v2/maps/: 1 saved, 0 up to date, 0 skipped, 0 external, 0 failed",
      "",
    ],
    tree: { "docs/readme.txt": "one", "maps/readme.txt": "map" },
  });
});

it("get -r accepts the same URL twice", async () => {
  const { exitCode, stderr } = await runBuiltCommand(
    ["get", "-r", "--file-root", createTrees(), "file:///v1/docs/", "file:///v1/docs/"],
    { cwd: createTemporaryFolder() },
  );
  expect({ exitCode, stderr: stderr.match(/\d saved, \d up to date/g) }).toEqual({
    exitCode: 0,
    stderr: ["1 saved, 0 up to date", "0 saved, 1 up to date"],
  });
});
