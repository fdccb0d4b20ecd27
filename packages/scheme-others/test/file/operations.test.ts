import { execFileSync } from "node:child_process";
import { chmod, lstat, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type AccessError, type Client, createClient } from "@anyscheme/core";
import type { UploadBody } from "@anyscheme/core/plugin";
import { file } from "@anyscheme/scheme-others/file";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTemporaryFolderWithFiles, type RemovableTestFolder } from "./temporary-folder-with-files.ts";

let testDirectory: RemovableTestFolder;
let directoryOutsideRoot: RemovableTestFolder;
let fileClient: Client;

beforeEach(async () => {
  directoryOutsideRoot = await createTemporaryFolderWithFiles({
    secret: "not for you",
    "folder/inner": "nor this",
  });
  testDirectory = await createTemporaryFolderWithFiles({
    "old.txt": "old bytes",
    "folder/one": "1",
    "full/file": "",
  });
  execFileSync("mkdir", [join(testDirectory.root, "bare")]);
  execFileSync("mkfifo", [join(testDirectory.root, "fifo")]);
  await symlink(join(directoryOutsideRoot.root, "secret"), join(testDirectory.root, "link"));
  await symlink(directoryOutsideRoot.root, join(testDirectory.root, "escape"));
  await symlink("folder", join(testDirectory.root, "alias"));
  fileClient = createClient({ schemes: [file({ root: testDirectory.root })] }) as Client;
});

afterEach(async () => {
  await fileClient.destroy();
  expect(await readFile(join(directoryOutsideRoot.root, "secret"), "utf8")).toBe("not for you");
  expect((await readdir(directoryOutsideRoot.root, { recursive: true })).toSorted()).toEqual([
    "folder",
    "folder/inner",
    "secret",
  ]);
  await testDirectory.remove();
  await directoryOutsideRoot.remove();
});

const getTestPath = (name: string): string => join(testDirectory.root, name);
const readTestFile = (name: string): Promise<string> => readFile(getTestPath(name), "utf8");

async function* createChunks(...texts: string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

describe("put writes to file URLs", () => {
  const rows: [name: string, body: () => UploadBody, options: object, expected: string][] = [
    ["new.txt", () => "text", {}, "text"],
    ["old.txt", () => "shorter", {}, "shorter"],
    ["old.txt", () => "", {}, ""],
    ["old.txt", () => "whole", { atomic: true }, "whole"],
    ["new.txt", () => createChunks("a", "", "b"), { atomic: true }, "ab"],
    ["old.txt", () => " more", { offset: "end" }, "old bytes more"],
    ["new.txt", () => "begun", { offset: "end" }, "begun"],
    ["old.txt", () => createChunks("x", "y"), { offset: 4 }, "old xytes"],
    ["old.txt", () => "!", { offset: 9 }, "old bytes!"],
    ["folder/two", () => createChunks("1", "2"), { size: 2 }, "12"],
  ];
  it.each(rows)(
    "the client writes to %s the body that %s returns with the options %j",
    async (name, body, options, expected) => {
      const written = await fileClient.put(`file:///${name}`, body(), options);
      expect(await readTestFile(name)).toBe(expected);
      expect(written).toMatchObject({ url: { href: `file:///${name}` } });
      expect(await readdir(testDirectory.root)).not.toContainEqual(expect.stringContaining(".part"));
    },
  );

  it("the client returns the number of bytes written to a large file", async () => {
    const large = Buffer.alloc(3_000_001, "abc");
    expect(await fileClient.put("file:///large", large)).toMatchObject({ bytesWritten: large.length });
    expect((await readFile(getTestPath("large"))).equals(large)).toBe(true);
  });

  it("the client writes files with names of any bytes, with and without atomic", async () => {
    for (const options of [{}, { atomic: true }]) {
      await fileClient.put("file:///gr%FC%DFe", "x", options);
      await fileClient.delete("file:///gr%FC%DFe");
    }
    expect((await readdir(testDirectory.root)).filter((name) => name.startsWith("gr"))).toEqual([]);
  });

  it("the client keeps the permissions of the file that an atomic put replaces", async () => {
    await chmod(getTestPath("old.txt"), 0o640);
    await fileClient.put("file:///old.txt", "x", { atomic: true });
    expect((await lstat(getTestPath("old.txt"))).mode & 0o777).toBe(0o640);
  });

  it.each([
    ["old bytes", true],
    ["ha", false],
  ])("the client keeps the text %j after a failed put with atomic: %s", async (expected, atomic) => {
    async function* failing(): AsyncGenerator<Uint8Array, void> {
      yield* createChunks("ha");
      throw new Error("the upload failed");
    }
    await expect(fileClient.put("file:///old.txt", failing(), { atomic })).rejects.toThrow(
      "the upload failed",
    );
    expect(await readTestFile("old.txt")).toBe(expected);
    expect(await readdir(testDirectory.root)).not.toContainEqual(expect.stringContaining(".part"));
  });

  it("the client rejects an upload that is shorter than its declared size", async () => {
    const short = fileClient.put("file:///old.txt", createChunks("ha"), { atomic: true, size: 3 });
    await expect(short).rejects.toMatchObject({ code: "incomplete" });
    expect(await readTestFile("old.txt")).toBe("old bytes");
  });

  it("the client stops an upload on abort while the next chunk is pending", async () => {
    const controller = new AbortController();
    async function* stuck(): AsyncGenerator<Uint8Array, void> {
      yield Buffer.from("a");
      controller.abort();
      await new Promise(() => undefined);
    }
    const writing = fileClient.put("file:///old.txt", stuck(), { atomic: true, signal: controller.signal });
    await expect(writing).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => readdir(testDirectory.root)).not.toContainEqual(expect.stringContaining(".part"));
    expect(await readTestFile("old.txt")).toBe("old bytes");
  });

  const refused: [name: string, options: object, code: string][] = [
    ["link", {}, "permission-denied"],
    ["link", { atomic: true }, "permission-denied"],
    ["link", { offset: "end" }, "permission-denied"],
    ["escape/secret", {}, "permission-denied"],
    ["escape/new", { atomic: true }, "permission-denied"],
    ["escape/folder/new", {}, "permission-denied"],
    ["alias/new", {}, "permission-denied"],
    ["fifo", {}, "no-content"],
    ["fifo", { atomic: true }, "no-content"],
    ["folder", {}, "no-content"],
    ["folder", { atomic: true }, "no-content"],
    ["folder/", {}, "no-content"],
    ["", {}, "no-content"],
    ["no/such/folder", {}, "not-found"],
    ["old.txt/below", {}, "not-found"],
    ["%2E%2E/no/such", {}, "not-found"],
    ["%2E%2E%2Fup", {}, "refused-characters"],
    ["folder/..", {}, "no-content"],
    ["old.txt", { offset: 10 }, "unsupported"],
    ["old.txt", { offset: 1, atomic: true }, "unsupported"],
    ["old.txt", { offset: "end", atomic: true }, "unsupported"],
    ["new.txt", { offset: 1 }, "not-found"],
  ];
  it.each(refused)(
    "the client rejects the put to %s with the options %j: %s",
    async (name, options, code) => {
      const before = await readdir(testDirectory.root, { recursive: true });
      await expect(fileClient.put(`file:///${name}`, "x", options)).rejects.toMatchObject({ code });
      expect(await readdir(testDirectory.root, { recursive: true })).toEqual(before);
      expect(await readTestFile("old.txt")).toBe("old bytes");
    },
  );
});

it("the client rejects a put at a negative position as an invalid option, and changes no file", async () => {
  await expect(fileClient.put("file:///old.txt", "x", { offset: -1 })).rejects.toThrow(TypeError);
  expect(await readTestFile("old.txt")).toBe("old bytes");
});

describe("stat returns the attributes of files", () => {
  it.each<[name: string, stat: object]>([
    ["old.txt", { kind: "content", size: 9, mediaType: "text/plain" }],
    ["folder", { kind: "directory", size: undefined, mediaType: undefined }],
    ["folder/", { kind: "directory" }],
    ["", { kind: "directory" }],
    ["fifo", { kind: "unknown", size: undefined }],
  ])("the client returns the attributes of %s", async (name, stat) => {
    expect(await fileClient.stat(`file:///${name}`)).toMatchObject({
      ...stat,
      modified: expect.any(Date) as Date,
    });
  });

  it.each([
    ["nothing", "not-found"],
    ["link", "permission-denied"],
    ["escape/secret", "permission-denied"],
  ])("the client rejects the stat of %s with the error %s", async (name, code) => {
    await expect(fileClient.stat(`file:///${name}`)).rejects.toMatchObject({ code });
  });
});

describe("delete, mkdir and rename modify local directories", () => {
  const expectDeleted = (name: string): Promise<unknown> =>
    expect(lstat(getTestPath(name))).rejects.toMatchObject({ code: "ENOENT" });

  it.each(["old.txt", "bare", "bare/", "link", "alias"])(
    "the client deletes %s, but not the target of a symbolic link",
    async (name) => {
      await fileClient.delete(`file:///${name}`);
      await expectDeleted(name.replace("/", ""));
      expect(await readTestFile("folder/one")).toBe("1");
    },
  );

  it.each([
    ["nothing", "not-found"],
    ["old.txt/", "not-found"],
    ["alias/", "not-found"],
    ["full", "rejected"],
    ["fifo", "no-content"],
    ["escape/secret", "permission-denied"],
    ["alias/one", "permission-denied"],
    ["", "permission-denied"],
    ["folder%2Fone", "refused-characters"],
  ])("the client refuses to delete %s with the error %s", async (name, code) => {
    await expect(fileClient.delete(`file:///${name}`)).rejects.toMatchObject({ code });
    expect(await readTestFile("folder/one")).toBe("1");
  });

  it.each(["made", "made/", "folder/made"])("the client creates the directory %s", async (name) => {
    await fileClient.mkdir(`file:///${name}`);
    expect((await lstat(getTestPath(name))).isDirectory()).toBe(true);
  });

  it.each([
    ["folder", "rejected"],
    ["old.txt", "rejected"],
    ["link", "rejected"],
    ["no/such", "not-found"],
    ["escape/made", "permission-denied"],
    ["", "permission-denied"],
  ])("the client refuses to create the directory %s with the error %s", async (name, code) => {
    await expect(fileClient.mkdir(`file:///${name}`)).rejects.toMatchObject({ code });
  });

  it.each([
    ["old.txt", "new.txt"],
    ["old.txt", "folder/moved"],
    ["folder", "renamed"],
    ["folder/", "renamed/"],
    ["link", "other-link"],
  ])("the client renames %s to %s on the file system", async (from, to) => {
    await fileClient.rename(`file:///${from}`, `file:///${to}`);
    await expectDeleted(from.replace("/", ""));
    await lstat(getTestPath(to.replace(/\/$/, "")));
  });

  it.each([
    ["nothing", "file:///new", "not-found"],
    ["old.txt", "file:///folder/one", "rejected"],
    ["old.txt", "file:///link", "rejected"],
    ["old.txt", "file:///escape/new", "permission-denied"],
    ["escape/secret", "file:///stolen", "permission-denied"],
    ["old.txt", "file:///new/", "not-found"],
    ["old.txt", "file:///no/such", "not-found"],
    ["folder", "file:///folder/in-itself", "unsupported"],
    ["old.txt", "file://host.example/new", "unsupported"],
    ["old.txt", "file:///new?/%2E%2E/x", "refused-characters"],
    ["old.txt", "file:///folder/../..", "permission-denied"],
    ["old.txt", "x:new", "unsupported"],
  ])("the client refuses to rename %s to %s with the error %s", async (from, to, code) => {
    await expect(fileClient.rename(`file:///${from}`, to)).rejects.toMatchObject({ code });
    expect(await readTestFile("old.txt")).toBe("old bytes");
  });
});

describe("each operation on a file has a plan", () => {
  const steps = (operation: "put" | "delete" | "mkdir" | "stat" | "rename"): string[] => {
    const to = fileClient.parse("file:///b/d");
    return fileClient
      .plan("file:///a/c", { operation, to })
      .steps.map(({ action, description: text }) => `${action} ${text}`);
  };

  it("the client lists the steps of each operation on a file", () => {
    expect(steps("stat")).toEqual(["open /a/c", "close the file"]);
    expect(steps("put")).toEqual([
      "open /a",
      "open /a/c",
      "transfer the bytes of the upload",
      "close the file",
    ]);
    expect(steps("delete")).toEqual(["open /a", "modify delete /a/c", "close the directory"]);
    expect(steps("mkdir")).toEqual(["open /a", "modify make the directory /a/c", "close the directory"]);
    expect(steps("rename")).toEqual(["open /a", "modify rename /a/c to /b/d", "close the directory"]);
  });

  async function* broken(): AsyncGenerator<Uint8Array, void> {
    yield* createChunks("x");
    throw new Error("the upload failed");
  }
  const rows: [what: string, work: () => Promise<unknown>, step: string][] = [
    ["a read of nothing", () => fileClient.dereference("file:///no"), "open /no"],
    ["a stat of nothing", () => fileClient.stat("file:///no"), "open /no"],
    ["a put into a missing directory", () => fileClient.put("file:///no/new", "x"), "open /no"],
    ["a put over a directory", () => fileClient.put("file:///folder", "x"), "open /folder"],
    [
      "an atomic put over a directory",
      () => fileClient.put("file:///folder", "x", { atomic: true }),
      "open /folder",
    ],
    [
      "a put at an offset after the end of the file",
      () => fileClient.put("file:///old.txt", "x", { offset: 10 }),
      "open /old.txt",
    ],
    ["a put that fails", () => fileClient.put("file:///new", broken()), "transfer the bytes of the upload"],
    [
      "an atomic put whose body fails",
      () => fileClient.put("file:///new", broken(), { atomic: true }),
      "transfer the bytes of the upload",
    ],
    ["a deletion in a missing directory", () => fileClient.delete("file:///no/one"), "open /no"],
    ["a deletion of nothing", () => fileClient.delete("file:///folder/no"), "modify delete /folder/no"],
    ["a new directory in a missing directory", () => fileClient.mkdir("file:///no/new"), "open /no"],
    [
      "a rename into a missing directory",
      () => fileClient.rename("file:///old.txt", "file:///no/new"),
      "modify rename /old.txt to /no/new",
    ],
  ];
  it.each(rows)("the client names the failed plan step of %s in the error", async (_, work, expected) => {
    const { step } = (await work().catch((error: unknown) => error)) as AccessError;
    expect(`${step?.action} ${step?.description}`).toBe(expected);
  });

  it("the trace of a read has one event, for the transfer step", async () => {
    const steps: (string | undefined)[] = [];
    const found = await fileClient.dereference("file:///old.txt", {
      trace: ({ action, step }) => steps.push(`${action}: ${step?.action}`),
    });
    if (found.kind !== "content") throw new Error(found.kind);
    await found.bytes();
    expect(steps).toEqual(["transfer: transfer"]);
  });

  it("the client rejects the operations on files without a root", async () => {
    await using off = createClient({ schemes: [file()] });
    for (const work of [off.put("file:///a", "x"), off.stat("file:///a"), off.delete("file:///a")])
      await expect(work).rejects.toMatchObject({ code: "permission-denied" });
  });
});
