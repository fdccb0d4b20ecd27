import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saveBytes } from "../../src/resources/save.ts";
import { sourceOf } from "../source.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "anyscheme-save-"));
  path = join(folder, "file");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const MiB = 1_048_576;

function save(pieces: readonly Uint8Array[], end: "end" | Error = "end", patienceMs?: number): Promise<void> {
  const source = sourceOf(pieces, end);
  return saveBytes(path, (take) => source.read(take), patienceMs);
}

/** To a system that takes bytes as fast as memory does, and to one that does not. */
const SYSTEMS = [
  { system: "fast", patienceMs: Infinity },
  { system: "slow", patienceMs: 0 },
];

/** Bytes that repeat themselves at no power of two. */
function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => index % 251);
}

describe("saveStream", () => {
  describe.each(SYSTEMS)("to a $system system", ({ patienceMs }) =>
    it.each([
      ["nothing", []],
      ["one byte", [1]],
      ["a piece less than a block", [MiB - 1]],
      ["a block", [MiB]],
      ["a piece more than a block", [MiB + 1]],
      ["two and a half blocks at once", [2 * MiB + MiB / 2]],
      ["pieces across the ends of blocks", [700_000, 700_000, 1, 700_000, 700_000]],
      ["a block, and a piece", [MiB, 1]],
      ["three blocks", [MiB, MiB, MiB]],
      ["small pieces", Array.from({ length: 2000 }, () => 617)],
    ])("writes %s", async (_name, lengths) => {
      const whole = bytes(lengths.reduce((sum, length) => sum + length, 0));
      let at = 0;
      const pieces = lengths.map((length) => whole.subarray(at, (at += length)));
      await save(pieces, "end", patienceMs);
      const digest = (one: Uint8Array): string => createHash("sha256").update(one).digest("hex");
      expect(digest(await readFile(path))).toBe(digest(whole));
      expect(await readdir(folder)).toEqual(["file"]);
    }),
  );

  it("puts the file in the place of another only when it is complete", async () => {
    await writeFile(path, "before");
    let seen: string[] = [];
    const source = sourceOf([Buffer.from("after")]);
    await saveBytes(path, async (take) => {
      const state = await source.read(take);
      seen = await readdir(folder);
      expect(await readFile(path, "utf8")).toBe("before");
      return state;
    });
    expect(seen.toSorted()).toEqual([expect.stringMatching(/^\.file\.[0-9a-f]{12}\.part$/), "file"]);
    expect(await readFile(path, "utf8")).toBe("after");
    expect(await readdir(folder)).toEqual(["file"]);
  });

  it("reads no more after the end, when the last piece does not fit into a block", async () => {
    const pieces = [[bytes(10)], [bytes(900_000), bytes(200_000)]];
    let reads = 0;
    await saveBytes(
      path,
      (take) => {
        for (const piece of pieces[reads++] ?? []) take(piece);
        return Promise.resolve(reads < pieces.length ? "more" : "end");
      },
      0,
    );
    expect(reads).toBe(2);
    expect((await stat(path)).size).toBe(1_100_010);
  });

  it("takes a name as long as the file system does", async () => {
    const name = "x".repeat(255);
    await saveBytes(join(folder, name), (take) => sourceOf([Buffer.from("long")]).read(take));
    expect(await readdir(folder)).toEqual([name]);
  });

  it.each([0, 10, 3 * MiB])("a failure after %i bytes leaves the old file, and no other", async (length) => {
    await writeFile(path, "before");
    await expect(save([bytes(length)], new Error("cut off"))).rejects.toThrow("cut off");
    expect(await readdir(folder)).toEqual(["file"]);
    expect(await readFile(path, "utf8")).toBe("before");
  });

  it("a failure leaves nothing where nothing was", async () => {
    await expect(save([bytes(10)], new Error("cut off"))).rejects.toThrow("cut off");
    expect(await readdir(folder)).toEqual([]);
  });

  it("fails without a folder, before it reads", async () => {
    path = join(folder, "missing", "file");
    const source = sourceOf([bytes(1)]);
    await expect(saveBytes(path, (take) => source.read(take))).rejects.toMatchObject({ code: "ENOENT" });
    expect(source.given).toBe(0);
  });

  it("does not take the place of a folder", async () => {
    await mkdir(path);
    await expect(save([bytes(1)])).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["file"]);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it("takes the place of a symbolic link, and leaves alone what it leads to", async () => {
    const victim = join(folder, "victim");
    await writeFile(victim, "mine");
    await symlink(victim, path);
    await save([Buffer.from("after")]);
    expect(await readFile(victim, "utf8")).toBe("mine");
    expect(await readFile(path, "utf8")).toBe("after");
    await expect(readlink(path)).rejects.toMatchObject({ code: "EINVAL" });
  });

  it("writes under a name of its own each time", async () => {
    const names = new Set<string>();
    for (let round = 0; round < 5; round++) {
      const source = sourceOf([bytes(1)]);
      await saveBytes(path, async (take) => {
        for (const name of await readdir(folder)) if (name.endsWith(".part")) names.add(name);
        return source.read(take);
      });
    }
    expect(names.size).toBe(5);
  });
});
