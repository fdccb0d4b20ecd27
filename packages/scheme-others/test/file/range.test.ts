import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient, type DereferenceOptions, type Resource } from "@anyscheme/core";
import type { Range } from "@anyscheme/core/plugin";
import { file } from "@anyscheme/scheme-others/file";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTemporaryFolderWithFiles, type RemovableTestFolder } from "./temporary-folder-with-files.ts";

let testDirectory: RemovableTestFolder;
const largeFile: Buffer = Buffer.alloc(2_500_000, "0123456789");

beforeAll(async () => {
  testDirectory = await createTemporaryFolderWithFiles({
    "ten.txt": "0123456789",
    empty: "",
    large: largeFile,
    "folder/one": "1",
  });
});
afterAll(() => testDirectory.remove());

async function dereferenceFile(url: string, options: DereferenceOptions): Promise<Resource> {
  await using client = createClient({ schemes: [file({ root: testDirectory.root })] });
  const resource = await client.dereference(url, options);
  if (resource.kind === "content") Object.assign(resource, { read: await resource.text() });
  return resource;
}

describe("the client reads byte ranges of local files", () => {
  const rows: [range: Range, bytes: string][] = [
    [{ start: 0 }, "0123456789"],
    [{ start: 3 }, "3456789"],
    [{ start: 3, endExclusive: 5 }, "34"],
    [{ start: 9 }, "9"],
    [{ start: 0, endExclusive: 10 }, "0123456789"],
    [{ start: 0, endExclusive: 11 }, "0123456789"],
    [{ start: 8, endExclusive: 1000 }, "89"],
    [{ start: 10 }, ""],
    [{ start: 10, endExclusive: 11 }, ""],
  ];
  it.each(rows)("the client reads the byte range %j of a file", async (range, bytes) => {
    expect(await dereferenceFile("file:///ten.txt", { range })).toMatchObject({
      size: bytes.length,
      totalSize: 10,
      read: bytes,
    });
  });

  it("the client reads a byte range that spans several blocks of a large file", async () => {
    const range = { start: 1_048_575, endExclusive: 2_097_153 };
    const expected = largeFile.subarray(range.start, range.endExclusive);
    expect(await dereferenceFile("file:///large", { range })).toMatchObject({
      size: expected.length,
      read: expected.toString(),
    });
  });

  it("the client returns no bytes for the range at the end of an empty file", async () => {
    expect(await dereferenceFile("file:///empty", { range: { start: 0 } })).toMatchObject({
      size: 0,
      read: "",
    });
  });

  it.each<[url: string, range: Range, size: number]>([
    ["file:///ten.txt", { start: 11 }, 10],
    ["file:///ten.txt", { start: 11, endExclusive: 12 }, 10],
    ["file:///empty", { start: 1 }, 0],
  ])("the client rejects the file %s with the range %j as out-of-range", async (url, range, size) => {
    await expect(dereferenceFile(url, { range })).rejects.toMatchObject({
      code: "out-of-range",
      reason: `the range begins at byte ${range.start}, and the file has ${size} bytes`,
      totalSize: size,
    });
  });

  it("the client rejects a range of a file in /proc, because the file has no known size", async () => {
    await using client = createClient({ schemes: [file({ root: "/proc" })] });
    const range = { start: 1 };
    await expect(client.dereference("file:///version", { range })).rejects.toMatchObject({
      code: "unsupported",
    });
  });
});

describe("the option ifModifiedSince applies to local files", () => {
  const modified = new Date("2026-01-31T12:00:00.500Z");
  const rows: [since: string, kind: string][] = [
    ["2026-01-31T12:00:00.500Z", "not-modified"],
    ["2026-01-31T12:00:00.501Z", "not-modified"],
    ["2026-01-31T12:00:00.499Z", "content"],
    // A time in whole seconds, as in an HTTP date.
    ["2026-01-31T12:00:00.000Z", "not-modified"],
    ["2026-01-31T11:59:59.000Z", "content"],
  ];
  it.each(rows)(
    "a request with ifModifiedSince %s returns a resource of the kind %s",
    async (since, kind) => {
      await writeFile(join(testDirectory.root, "dated"), "x");
      await utimes(join(testDirectory.root, "dated"), modified, modified);
      expect(await dereferenceFile("file:///dated", { ifModifiedSince: new Date(since) })).toMatchObject({
        kind,
        modified,
      });
    },
  );

  it("the client ignores ifModifiedSince for directories", async () => {
    expect(await dereferenceFile("file:///folder", { ifModifiedSince: new Date() })).toMatchObject({
      kind: "directory",
    });
  });
});
