import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { saveBytes } from "../../src/resources/save-to-file.ts";
import type { ByteSource } from "../../src/scheme/context.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

let folder: string;
let savePath: string;
beforeEach(() => {
  folder = createTemporaryFolder();
  savePath = join(folder, "file");
});

/** The number of bytes that are written together. */
const BATCH_BYTES = 4_194_304;

/** Yields the chunks, and then throws the error, if any. */
async function* createChunks(chunks: readonly Uint8Array[], error?: Error): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
  if (error) throw error;
}

/** Returns the method `readChunks` of a source of the given chunks. */
function readFrom(chunks: AsyncGenerator<Uint8Array>): ByteSource["readChunks"] {
  return async (onChunk) => {
    for (let next = await chunks.next(); !next.done; next = await chunks.next())
      if (!onChunk(next.value)) return "more";
    return "end";
  };
}

const saveToPath = (chunks: readonly Uint8Array[], error?: Error): Promise<void> =>
  saveBytes(savePath, readFrom(createChunks(chunks, error)));

/** Returns bytes whose period is no power of two. */
function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => index % 251);
}

describe("saveBytes", () => {
  it.each([
    ["an empty body", []],
    ["one byte", [1]],
    ["a chunk one byte smaller than a batch", [BATCH_BYTES - 1]],
    ["a chunk of the size of a batch", [BATCH_BYTES]],
    ["a chunk one byte larger than a batch", [BATCH_BYTES + 1]],
    ["a chunk of two and a half batches", [2 * BATCH_BYTES + BATCH_BYTES / 2]],
    ["chunks that cross the ends of batches", [2_800_000, 2_800_000, 1, 2_800_000, 2_800_000]],
    ["a chunk of the size of a batch, and one more byte", [BATCH_BYTES, 1]],
    ["three chunks of the size of a batch", [BATCH_BYTES, BATCH_BYTES, BATCH_BYTES]],
    ["8000 small chunks", Array.from({ length: 8000 }, () => 617)],
  ])("saveBytes writes %s", async (_name, lengths) => {
    const whole = bytes(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    const pieces = lengths.map((length) => whole.subarray(at, (at += length)));
    await saveToPath(pieces);
    const digest = (one: Uint8Array): string => createHash("sha256").update(one).digest("hex");
    expect(digest(await readFile(savePath))).toBe(digest(whole));
    expect(await readdir(folder)).toEqual(["file"]);
  });

  it("saveBytes replaces an existing file only when all bytes are written", async () => {
    await writeFile(savePath, "before");
    let seen: string[] = [];
    await saveBytes(
      savePath,
      readFrom(
        (async function* () {
          yield Buffer.from("after");
          seen = await readdir(folder);
          expect(await readFile(savePath, "utf8")).toBe("before");
        })(),
      ),
    );
    expect(seen.toSorted()).toEqual([expect.stringMatching(/^\.file\.[0-9a-f]{12}\.part$/), "file"]);
    expect(await readFile(savePath, "utf8")).toBe("after");
    expect(await readdir(folder)).toEqual(["file"]);
  });

  it("saveBytes accepts the longest file name that the file system allows", async () => {
    const name = "x".repeat(255);
    await saveBytes(join(folder, name), readFrom(createChunks([Buffer.from("long")])));
    expect(await readdir(folder)).toEqual([name]);
  });

  it.each([0, 10, 3 * BATCH_BYTES])(
    "a failure of saveBytes after %i bytes keeps the old file and removes the temporary file",
    async (length) => {
      await writeFile(savePath, "before");
      await expect(saveToPath([bytes(length)], new Error("cut off"))).rejects.toThrow("cut off");
      expect(await readdir(folder)).toEqual(["file"]);
      expect(await readFile(savePath, "utf8")).toBe("before");
    },
  );

  it("a failure of saveBytes leaves no file behind", async () => {
    await expect(saveToPath([bytes(10)], new Error("cut off"))).rejects.toThrow("cut off");
    expect(await readdir(folder)).toEqual([]);
  });

  it("saveBytes rejects a path in a missing directory before it reads", async () => {
    savePath = join(folder, "missing", "file");
    let wasRead = false;
    const chunks = (async function* () {
      wasRead = true;
      yield await Promise.resolve(bytes(1));
    })();
    await expect(saveBytes(savePath, readFrom(chunks))).rejects.toMatchObject({ code: "ENOENT" });
    expect(wasRead).toBe(false);
  });

  it("saveBytes does not replace a directory", async () => {
    await mkdir(savePath);
    await expect(saveToPath([bytes(1)])).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["file"]);
    expect((await stat(savePath)).isDirectory()).toBe(true);
  });

  it("saveBytes replaces a symbolic link and does not change the target of the link", async () => {
    const victim = join(folder, "victim");
    await writeFile(victim, "mine");
    await symlink(victim, savePath);
    await saveToPath([Buffer.from("after")]);
    expect(await readFile(victim, "utf8")).toBe("mine");
    expect(await readFile(savePath, "utf8")).toBe("after");
    await expect(readlink(savePath)).rejects.toMatchObject({ code: "EINVAL" });
  });

  it("saveBytes uses a different temporary name each time", async () => {
    const names = new Set<string>();
    for (let round = 0; round < 5; round++) {
      await saveBytes(
        savePath,
        readFrom(
          (async function* () {
            for (const name of await readdir(folder)) if (name.endsWith(".part")) names.add(name);
            yield bytes(1);
          })(),
        ),
      );
    }
    expect(names.size).toBe(5);
  });
});
