import { open, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient, type Client, type DereferenceOptions } from "@anyscheme/core";
import { type CacheMode, type CacheStore, memoryCache, sqliteCache } from "@anyscheme/core/cache";
import { file, type FileOptions } from "@anyscheme/scheme-others/file";
import { describe, expect, it } from "vitest";
import { createTemporaryFolderWithFiles } from "./temporary-folder-with-files.ts";

const OLD = new Date("2026-01-31T12:00:00.250Z");
const URL = "file:///a.txt";
const STORED = ["miss", "stored, 5 bytes"];
const HIT = "hit, the file has not changed";
const UNCHECKED_HIT = "hit, the version of the file is not checked";

interface CacheTest extends AsyncDisposable {
  readonly root: string;
  readonly cache: CacheStore;
  readonly traces: string[];
  readonly client: Client;
  /** Reads a file and returns its text. */
  readonly read: (options?: DereferenceOptions) => Promise<string>;
  /** Writes a file, and sets its modification time to a time in the past. */
  readonly write: (text: string | Uint8Array, name?: string) => Promise<void>;
}

async function startCacheTest(
  options: FileOptions = { cache: true },
  createStore: (root: string) => CacheStore = () => memoryCache(),
): Promise<CacheTest> {
  const directory = await createTemporaryFolderWithFiles({ "folder/one": "1" });
  const { root } = directory;
  const traces: string[] = [];
  const cache = createStore(root);
  const client = createClient({
    schemes: [file({ root, ...options })],
    cache,
    trace: ({ action, text }) => action === "cache" && traces.push(text),
  });
  const write = async (text: string | Uint8Array, name = "a.txt"): Promise<void> => {
    await writeFile(join(root, name), text);
    await utimes(join(root, name), OLD, OLD);
  };
  await write("hello");
  return {
    root,
    cache,
    traces,
    client,
    write,
    read: (request) => client.text(URL, request),
    async [Symbol.asyncDispose]() {
      await client.close();
      await directory.remove();
    },
  };
}

describe.each<[name: string, createStore: (root: string) => CacheStore]>([
  ["memoryCache", () => memoryCache()],
  ["sqliteCache", (root) => sqliteCache(join(root, "cache.sqlite"))],
])("the scheme file with the cache store %s", (_name, createStore) => {
  it("an unchanged file is read from the cache", async () => {
    await using test = await startCacheTest({ cache: true }, createStore);
    expect([await test.read(), await test.read()]).toEqual(["hello", "hello"]);
    expect(test.traces).toEqual([...STORED, HIT]);
  });

  it("a resource from the cache has the media type, size and modification time of the file", async () => {
    await using test = await startCacheTest({ cache: true }, createStore);
    await test.read();
    const resource = await test.client.dereference(URL);
    expect(resource).toMatchObject({ size: 5, modified: OLD, mediaType: "text/plain" });
    await resource.close();
    expect(test.traces.at(-1)).toBe(HIT);
  });
});

it("a client without the option cache of the scheme file stores no file", async () => {
  await using test = await startCacheTest({});
  await test.read();
  await test.read({ cache: "force-cache" });
  expect(test.traces).toEqual([]);
  await expect(test.read({ cache: "only-if-cached" })).rejects.toMatchObject({
    code: "unavailable",
    reason: "the request allows only stored responses, and the scheme file does not use the cache",
  });
});

describe("the modes of the cache for a file that has changed after it was stored", () => {
  const modes: [mode: CacheMode, text: string, traces: string[]][] = [
    ["default", "other", STORED],
    ["no-cache", "other", STORED],
    ["reload", "other", ["stored, 5 bytes"]],
    ["no-store", "other", []],
    ["force-cache", "hello", [UNCHECKED_HIT]],
    ["only-if-cached", "hello", [UNCHECKED_HIT]],
  ];
  it.each(modes)("the mode %s reads the text %j", async (cache, text, traces) => {
    await using test = await startCacheTest();
    await test.read();
    await test.write("other");
    test.traces.length = 0;
    expect(await test.read({ cache })).toBe(text);
    expect(test.traces).toEqual(traces);
  });

  it("force-cache reads a file that is not stored", async () => {
    await using test = await startCacheTest();
    expect(await test.read({ cache: "force-cache" })).toBe("hello");
  });

  it("reload and no-store read an unchanged file again", async () => {
    await using test = await startCacheTest();
    await test.read();
    await test.read({ cache: "reload" });
    await test.read({ cache: "no-store" });
    expect(test.traces).toEqual([...STORED, "stored, 5 bytes"]);
  });
});

it("only-if-cached evaluates ifModifiedSince with the time of the stored file", async () => {
  await using test = await startCacheTest();
  await test.read();
  await utimes(join(test.root, "a.txt"), new Date(), new Date());
  const options = { cache: "only-if-cached", ifModifiedSince: OLD } as const;
  expect(await test.client.dereference(URL, options)).toMatchObject({ kind: "not-modified", modified: OLD });
});

describe("a changed file is read again", () => {
  const changes: [title: string, change: (test: CacheTest) => Promise<void>, text: string][] = [
    ["another size", ({ write }) => write("other text"), "other text"],
    ["the same size and modification time", ({ write }) => write("other"), "other"],
    [
      "another file with the same size and time under the name",
      async ({ root, write }) => {
        await write("other", "b.txt");
        await rename(join(root, "b.txt"), join(root, "a.txt"));
      },
      "other",
    ],
    [
      "another modification time in the same millisecond",
      ({ root }) => utimes(join(root, "a.txt"), OLD, OLD.getTime() / 1000 + 0.000_3),
      "hello",
    ],
  ];
  it.each(changes)("the client reads a changed file again: %s", async (_title, change, text) => {
    await using test = await startCacheTest();
    await test.read();
    await change(test);
    expect(await test.read()).toBe(text);
    expect(test.traces.filter((trace) => trace === HIT)).toEqual([]);
  });
});

describe("a file that is not stored", () => {
  const large = new Uint8Array(2_500_000).fill(0x61);
  const changed = "not stored: the content changed during the transfer";

  it.each<[title: string, change: (path: string) => Promise<void>]>([
    [
      "a file whose bytes change while it is read",
      async (path) => {
        const handle = await open(path, "r+");
        await handle.write("b", 2_400_000);
        await handle.close();
        await utimes(path, OLD, OLD);
      },
    ],
    ["a file that grows while it is read", (path) => writeFile(path, "b", { flag: "a" })],
  ])("the cache does not store %s", async (_title, change) => {
    await using test = await startCacheTest();
    await test.write(large);
    const resource = await test.client.dereference(URL);
    let received = 0;
    for await (const chunk of resource as unknown as AsyncIterable<Uint8Array>) {
      if (received === 0) await change(join(test.root, "a.txt"));
      received += chunk.length;
    }
    expect(received).toBe(large.length);
    expect(test.traces).toEqual(["miss", changed]);
    await utimes(join(test.root, "a.txt"), OLD, OLD);
    expect(await test.read()).toContain("b");
  });

  it("the cache does not store a file whose body is not read to its end", async () => {
    await using test = await startCacheTest();
    await test.write(large);
    const resource = await test.client.dereference(URL);
    for await (const _chunk of resource as unknown as AsyncIterable<Uint8Array>) break;
    expect(test.traces).toEqual(["miss", "not stored: the body was not read to its end"]);
  });

  it.each<[title: string, url: string, options: DereferenceOptions]>([
    ["a file that was modified within the last two seconds", "file:///new.txt", {}],
    ["an empty file", "file:///empty.txt", {}],
    ["a part of a file", URL, { range: { start: 1 } }],
    ["a directory", "file:///folder/", {}],
  ])("the cache does not store %s", async (_title, url, options) => {
    await using test = await startCacheTest();
    await writeFile(join(test.root, "new.txt"), "new");
    await test.write("", "empty.txt");
    const readAll = async (request: DereferenceOptions): Promise<void> => {
      const resource = await test.client.dereference(url, request);
      if (resource.kind === "content") await resource.bytes();
      await resource.close();
    };
    await readAll(options);
    expect(test.traces.filter((text) => text.startsWith("stored"))).toEqual([]);
    await expect(readAll({ ...options, cache: "only-if-cached" })).rejects.toMatchObject({
      code: "unavailable",
      reason: "the cache has no stored response, and the request allows no other",
    });
  });
});

describe("the client opens the file before it asks the cache", () => {
  it("a deleted file is not found, although the cache has stored it", async () => {
    await using test = await startCacheTest();
    await test.read();
    await rm(join(test.root, "a.txt"));
    await expect(test.read({ cache: "only-if-cached" })).rejects.toMatchObject({ code: "not-found" });
  });

  it("a symbolic link to a stored file outside the root is denied", async () => {
    await using test = await startCacheTest();
    await test.read();
    const inside = join(test.root, "folder");
    await symlink(join(test.root, "a.txt"), join(inside, "link.txt"));
    await symlink(test.root, join(inside, "up"));
    await using client = createClient({
      schemes: [file({ root: inside, cache: true })],
      cache: test.cache,
    });
    for (const cache of ["default", "force-cache", "only-if-cached"] as const)
      for (const url of ["file:///link.txt", "file:///up/a.txt"])
        await expect(client.text(url, { cache })).rejects.toMatchObject({ code: "permission-denied" });
    await expect(client.stat("file:///up/a.txt", { cache: "only-if-cached" })).rejects.toMatchObject({
      code: "permission-denied",
    });
  });

  it("two roots with the same file name have separate entries", async () => {
    await using test = await startCacheTest();
    await using other = await startCacheTest({ cache: true }, () => test.cache);
    await other.write("other");
    expect([await test.read(), await other.read(), await test.read()]).toEqual(["hello", "other", "hello"]);
    expect(test.traces).toEqual([...STORED, HIT]);
  });
});

describe("stat of a file reads the cache only in the modes force-cache and only-if-cached", () => {
  const rows: [cache: CacheMode, size: number][] = [
    ["default", 10],
    ["no-cache", 10],
    ["reload", 10],
    ["no-store", 10],
    ["force-cache", 5],
    ["only-if-cached", 5],
  ];
  it.each(rows)("stat in the mode %s returns the size %i", async (cache, size) => {
    await using test = await startCacheTest();
    await test.read();
    await test.write("0123456789");
    expect(await test.client.stat(URL, { cache })).toMatchObject({ kind: "content", size, modified: OLD });
  });

  it.each([URL, "file:///folder/"])(
    "only-if-cached throws unavailable for %s, which is not stored",
    async (url) => {
      await using test = await startCacheTest();
      await expect(test.client.stat(url, { cache: "only-if-cached" })).rejects.toMatchObject({
        code: "unavailable",
      });
    },
  );
});
