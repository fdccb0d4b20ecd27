import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import type { ContentResource } from "../../src/scheme/resource.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { type RecordingByteSource, createRecordingByteSource } from "../recording-byte-source.ts";
import { createSocketlessScheme } from "../client/test-schemes.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = createTemporaryFolder();
});

const pieces = [Buffer.from("one"), Buffer.from("two")];

async function made(source: RecordingByteSource): Promise<ContentResource> {
  const client = createClient({
    schemes: [createSocketlessScheme((context) => context.createContent({ source }))],
  });
  return (await client.dereference("x-made:a")) as ContentResource;
}

describe("saveTo rejects unusable paths", () => {
  it.each([
    ["a path in a missing directory", "missing/file", "not-found", "the directory does not exist (ENOENT)"],
    ["a path below a file", "there/file", "not-found", "a part of the path is not a directory (ENOTDIR)"],
    [
      "a path with a file name that is too long",
      "n".repeat(300),
      "unsupported",
      "the file name is too long (ENAMETOOLONG)",
    ],
  ])("saveTo rejects with the reason and cancels the source for %s", async (_name, name, code, reason) => {
    await writeFile(join(folder, "there"), "");
    const source = createRecordingByteSource(pieces);
    const resource = await made(source);
    const path = join(folder, name);
    const error = await catchAccessError(resource.saveTo(path));
    expect(error).toMatchObject({ code, url: "x-made:a", reason: `cannot save to ${path}: ${reason}` });
    expect(error.cause).toBeInstanceOf(Error);
    expect(source.cancelled).toBe(true);
    expect(await readdir(folder)).toEqual(["there"]);
  });

  it("saveTo rejects a path that is a directory before it reads the body", async () => {
    const source = createRecordingByteSource(pieces);
    const error = await catchAccessError((await made(source)).saveTo(folder));
    const reason = "the path is a directory; specify the path of a file";
    expect(error).toMatchObject({ code: "unsupported", reason: `cannot save to ${folder}: ${reason}` });
    expect(source).toMatchObject({ readBytes: 0, cancelled: true });
  });
});
