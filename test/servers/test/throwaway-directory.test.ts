import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  createThrowawayDirectory,
  removeThrowawayDirectory,
  writePublicFiles,
} from "../src/throwaway-directory.ts";

let directory = "";
let umask = 0;
beforeEach(async () => {
  umask = process.umask(0o077);
  directory = await createThrowawayDirectory("test");
});
afterEach(async () => {
  process.umask(umask);
  await removeThrowawayDirectory(directory);
});

const mode = async (path: string): Promise<string> =>
  ((await stat(join(directory, path))).mode & 0o777).toString(8);

it("writePublicFiles writes files that all users may read, regardless of the umask", async () => {
  await writePublicFiles(directory, { "a/b/c.txt": "é", "/d": new Uint8Array([0, 255]), "e/": "" });
  expect(await readFile(join(directory, "a/b/c.txt"), "utf8")).toBe("é");
  expect([...(await readFile(join(directory, "d")))]).toEqual([0, 255]);
  expect(await readdir(join(directory, "e"))).toEqual([]);
  expect(await Promise.all(["a", "a/b", "a/b/c.txt", "d", "e"].map(mode))).toEqual([
    "755",
    "755",
    "644",
    "644",
    "755",
  ]);
});
