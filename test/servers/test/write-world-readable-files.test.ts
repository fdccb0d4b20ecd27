import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  createTemporaryDirectory,
  removeTemporaryDirectory,
  writeWorldReadableFiles,
} from "../src/temporary-directory.ts";

let directory = "";
let originalUmask = 0;
beforeEach(async () => {
  originalUmask = process.umask(0o077);
  directory = await createTemporaryDirectory("test");
});
afterEach(async () => {
  process.umask(originalUmask);
  await removeTemporaryDirectory(directory);
});

const readFileMode = async (path: string): Promise<string> =>
  ((await stat(join(directory, path))).mode & 0o777).toString(8);

it("writeWorldReadableFiles writes files that all users may read, regardless of the umask", async () => {
  await writeWorldReadableFiles(directory, {
    "a/b/c.txt": "é",
    "/d": new Uint8Array([0, 255]),
    "e/": "",
  });
  expect(await readFile(join(directory, "a/b/c.txt"), "utf8")).toBe("é");
  expect([...(await readFile(join(directory, "d")))]).toEqual([0, 255]);
  expect(await readdir(join(directory, "e"))).toEqual([]);
  expect(await Promise.all(["a", "a/b", "a/b/c.txt", "d", "e"].map(readFileMode))).toEqual([
    "755",
    "755",
    "644",
    "644",
    "755",
  ]);
});
