import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type CacheEntry,
  type CacheOptions,
  type CacheStore,
  memoryCache,
  sqliteCache,
} from "@anyscheme/core/cache";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

interface TestStore extends Disposable {
  readonly cache: CacheStore;
  readonly path: string;
}

function createSqliteStore(limits?: CacheOptions): TestStore {
  const path = join(createTemporaryFolder(), "new", "cache.sqlite");
  const cache = sqliteCache(path, limits);
  return { cache, path, [Symbol.dispose]: () => cache.close() };
}

const createMemoryStore = (limits?: CacheOptions): TestStore => ({
  cache: memoryCache(limits),
  path: "",
  [Symbol.dispose]: () => undefined,
});

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function add(
  cache: CacheStore,
  key: string,
  text: string,
  variant = "",
  metadata = "{}",
): Promise<void> {
  const writer = await cache.createWriter({ key, variant, metadata });
  await writer.write(bytesOf(text));
  await writer.commit();
}

async function readAll(entry: CacheEntry | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry?.readBody() ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const readFirst = async (cache: CacheStore, key: string): Promise<string> =>
  readAll((await cache.find(key))[0]);

describe.each([
  ["memoryCache", createMemoryStore],
  ["sqliteCache", createSqliteStore],
] as const)("%s", (_name, createStore) => {
  it("the cache store returns entries after the commit, with body, size and metadata", async () => {
    using store = createStore();
    const writer = await store.cache.createWriter({ key: "k", variant: "v", metadata: '{"a":1}' });
    await writer.write(bytesOf("one "));
    expect(await store.cache.find("k")).toEqual([]);
    await writer.write(bytesOf("two"));
    await writer.commit();
    const [entry] = await store.cache.find("k");
    expect(entry).toMatchObject({ key: "k", variant: "v", metadata: '{"a":1}', size: 7 });
    expect(await readAll(entry)).toBe("one two");
    expect(await store.cache.find("other")).toEqual([]);
  });

  it("the cache store stores empty and large bodies", async () => {
    using store = createStore();
    const large = "0123456789".repeat(30_000);
    await add(store.cache, "empty", "");
    await add(store.cache, "large", large);
    expect(await store.cache.find("empty")).toMatchObject([{ size: 0 }]);
    expect(await readFirst(store.cache, "empty")).toBe("");
    expect(await readFirst(store.cache, "large")).toBe(large);
  });

  it("the cache store returns the newest entry first, and replaces an entry with the same variant", async () => {
    using store = createStore();
    for (const [variant, text] of [
      ["a", "1"],
      ["b", "2"],
      ["a", "3"],
    ] as const)
      await add(store.cache, "k", text, variant);
    const entries = await store.cache.find("k");
    expect(await Promise.all(entries.map(readAll))).toEqual(["3", "2"]);
  });

  it("the cache store updates metadata, and ignores an unknown entry", async () => {
    using store = createStore();
    await add(store.cache, "k", "1", "a");
    await store.cache.updateMetadata({ key: "k", variant: "a", metadata: "new" });
    await store.cache.updateMetadata({ key: "k", variant: "b", metadata: "new" });
    expect(await store.cache.find("k")).toMatchObject([{ variant: "a", metadata: "new", size: 1 }]);
  });

  it("the cache store deletes one variant or all entries of a key", async () => {
    using store = createStore();
    for (const variant of ["a", "b", "c"]) await add(store.cache, "k", "x", variant);
    await store.cache.delete("k", "b");
    expect((await store.cache.find("k")).map(({ variant }) => variant)).toEqual(["c", "a"]);
    await store.cache.delete("k");
    expect(await store.cache.find("k")).toEqual([]);
  });

  it("an aborted body leaves the stored entry", async () => {
    using store = createStore();
    await add(store.cache, "k", "old");
    const writer = await store.cache.createWriter({ key: "k", variant: "", metadata: "{}" });
    await writer.write(new Uint8Array(200_000));
    await writer.abort();
    expect(await readFirst(store.cache, "k")).toBe("old");
  });

  it("the cache store deletes the least recently used entries beyond maxBytes", async () => {
    using store = createStore({ maxBytes: 5_000, maxEntryBytes: 1_500 });
    const body = "x".repeat(1_200);
    for (const key of ["a", "b", "c"]) await add(store.cache, key, body);
    await store.cache.find("a");
    await add(store.cache, "d", body);
    const found = await Promise.all(
      ["a", "b", "c", "d"].map(async (key) => (await store.cache.find(key)).length),
    );
    expect(found[1]).toBe(0);
    expect(found[3]).toBe(1);
    expect(found.filter((count) => count === 1)).toHaveLength(3);
  });

  // An entry has 100 bytes, 2 bytes for each of the 3 characters of its key, variant and metadata, and 256 bytes more.
  it.each([
    [724, [1, 1]],
    [723, [0, 1]],
  ])(
    "the cache store with maxBytes: %i keeps only as many entries of 362 bytes as fit",
    async (maxBytes, expected) => {
      using store = createStore({ maxBytes, maxEntryBytes: 362 });
      for (const key of ["o", "a"]) await add(store.cache, key, "x".repeat(100));
      // The size of a replaced entry no longer counts.
      for (let count = 0; count < 5; count++) await add(store.cache, "b", "y".repeat(100));
      const found = await Promise.all(
        ["o", "a", "b"].map(async (key) => (await store.cache.find(key)).length),
      );
      expect(found).toEqual([0, ...expected]);
    },
  );

  it("many entries with empty bodies do not exceed maxBytes", async () => {
    using store = createStore({ maxBytes: 10_000, maxEntryBytes: 1_000 });
    for (let index = 0; index < 100; index++) await add(store.cache, `${index}`, "", "", "");
    const found = await Promise.all(
      Array.from({ length: 100 }, async (_none, index) => (await store.cache.find(`${index}`)).length),
    );
    expect(found.filter((count) => count === 1)).toHaveLength(38);
  });

  it("the cache store keeps the 16 newest entries of a key", async () => {
    using store = createStore();
    for (let index = 0; index < 20; index++) await add(store.cache, "k", "x", `${index}`);
    const expected = Array.from({ length: 16 }, (_none, index) => `${19 - index}`);
    expect((await store.cache.find("k")).map(({ variant }) => variant)).toEqual(expected);
    await store.cache.delete("k", "19");
    expect((await store.cache.find("k")).map(({ variant }) => variant)).toEqual(expected.slice(1));
  });

  it("updated metadata make an entry the newest", async () => {
    using store = createStore();
    for (const variant of ["a", "b"]) await add(store.cache, "k", "x", variant);
    await store.cache.updateMetadata({ key: "k", variant: "a", metadata: "new" });
    expect((await store.cache.find("k")).map(({ variant }) => variant)).toEqual(["a", "b"]);
  });

  it("a body that is being read remains readable when its entry is deleted", async () => {
    using store = createStore();
    const body = "0123456789".repeat(30_000);
    await add(store.cache, "k", body);
    const [entry] = await store.cache.find("k");
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry?.readBody() ?? []) {
      chunks.push(chunk);
      await store.cache.delete("k");
    }
    expect(Buffer.concat(chunks).toString()).toBe(body);
  });

  it("the cache store copies the chunks that it receives and returns", async () => {
    using store = createStore();
    const bytes = bytesOf("abc");
    const writer = await store.cache.createWriter({ key: "k", variant: "", metadata: "{}" });
    await writer.write(bytes);
    bytes.fill(0);
    await writer.commit();
    const [entry] = await store.cache.find("k");
    for await (const chunk of entry?.readBody() ?? []) chunk.fill(0);
    expect(await readFirst(store.cache, "k")).toBe("abc");
  });

  it.each([{ maxBytes: 0 }, { maxBytes: Infinity }, { maxEntryBytes: -1 }, { size: 1 }])(
    "the cache store rejects the limits %j",
    (limits) => {
      expect(() => memoryCache(limits as CacheOptions)).toThrow(TypeError);
      expect(() => sqliteCache("x", limits as CacheOptions)).toThrow(TypeError);
    },
  );
});

describe("the limits of a cache store", () => {
  it.each<[CacheOptions, number, number]>([
    [{}, 8_388_608, 33_554_432],
    [{ maxBytes: 80 }, 10, 10],
    [{ maxBytes: 80, maxEntryBytes: 20 }, 20, 20],
    [{ maxBytes: 80, maxEntryBytes: 100 }, 80, 80],
  ])("the maximum size of an entry under %j in memory is %i, and in SQLite %i", (limits, memory, sqlite) => {
    expect([memoryCache(limits).maxEntryBytes, sqliteCache("x", limits).maxEntryBytes]).toEqual([
      memory,
      sqlite,
    ]);
  });
});

describe("the database of sqliteCache", () => {
  it("the cache store keeps entries for a later sqliteCache with the same path, in a file that only its owner can read", async () => {
    using store = createSqliteStore();
    await add(store.cache, "k", "body");
    expect((await stat(store.path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(store.path))).mode & 0o777).toBe(0o700);
    using other = sqliteCache(store.path);
    expect(await readFirst(other, "k")).toBe("body");
  });

  it("the cache store opens its database again after close", async () => {
    using store = createSqliteStore();
    await add(store.cache, "k", "body");
    (store.cache as ReturnType<typeof sqliteCache>).close();
    expect(await readFirst(store.cache, "k")).toBe("body");
  });

  it("a body that one sqliteCache writes is complete although another sqliteCache opens the database", async () => {
    using store = createSqliteStore();
    const writer = await store.cache.createWriter({ key: "k", variant: "", metadata: "{}" });
    await writer.write(bytesOf("body"));
    using other = sqliteCache(store.path);
    expect(await other.find("k")).toEqual([]);
    await writer.commit();
    expect(await readFirst(other, "k")).toBe("body");
  });

  it("the commit of an entry that was deleted meanwhile fails, and the cache store stays usable", async () => {
    using store = createSqliteStore();
    const writer = await store.cache.createWriter({ key: "k", variant: "", metadata: "{}" });
    await store.cache.delete("k");
    await expect((async () => writer.commit())()).rejects.toThrow("the entry was deleted meanwhile");
    expect(await store.cache.find("k")).toEqual([]);
    await add(store.cache, "k", "later");
    expect(await readFirst(store.cache, "k")).toBe("later");
  });

  it.each(["", ":memory:", 7])("the cache store rejects the path %j", (path) => {
    expect(() => sqliteCache(path as string)).toThrow(TypeError);
  });

  it("the cache store does not change a file of another program", async () => {
    using store = createSqliteStore();
    await add(store.cache, "k", "body");
    const text = `${store.path}.txt`;
    await writeFile(
      text,
      "a text that is no database, and is longer than the header of a database would be ".repeat(9),
    );
    const before = await readFile(text);
    expect(() => sqliteCache(text).find("k")).toThrow(/not a database/);
    expect(await readFile(text)).toEqual(before);
    const foreign = `${store.path}.other`;
    const database = new DatabaseSync(foreign);
    database.exec("CREATE TABLE entries (x)");
    database.close();
    expect(() => sqliteCache(foreign).find("k")).toThrow(/another program/);
  });

  it("the cache store throws while another connection has locked the database", async () => {
    using store = createSqliteStore();
    await add(store.cache, "k", "body");
    const other = new DatabaseSync(store.path);
    other.exec("BEGIN EXCLUSIVE");
    await expect(add(store.cache, "k2", "x")).rejects.toThrow(/locked/);
    expect(await readFirst(store.cache, "k")).toBe("body");
    other.exec("ROLLBACK");
    other.close();
  });

  it("the unfinished bodies of programs that ended count as used space, and are deleted", async () => {
    using store = createSqliteStore({ maxBytes: 1_000_000, maxEntryBytes: 200_000 });
    for (let index = 0; index < 20; index++) {
      // No commit and no abort, as when a program ends in the middle of a body.
      const writer = await store.cache.createWriter({ key: `lost ${index}`, variant: "", metadata: "{}" });
      await writer.write(new Uint8Array(190_000));
    }
    for (const key of ["a", "b"]) await add(store.cache, key, "x".repeat(100_000));
    using database = new DatabaseSync(store.path);
    const { bytes } = database.prepare("SELECT total(length(bytes)) AS bytes FROM chunks").get() as {
      bytes: number;
    };
    expect(bytes).toBeLessThanOrEqual(1_000_000);
    for (const key of ["a", "b"]) expect(await store.cache.find(key)).toHaveLength(1);
  });

  it("a body whose database rows were deleted meanwhile is not committed", async () => {
    using store = createSqliteStore({ maxBytes: 400_000, maxEntryBytes: 200_000 });
    const writer = await store.cache.createWriter({ key: "slow", variant: "", metadata: "{}" });
    await writer.write(new Uint8Array(100_000));
    for (const key of ["a", "b", "c", "d"]) await add(store.cache, key, "x".repeat(100_000));
    await expect((async () => writer.commit())()).rejects.toThrow();
    await writer.abort();
    expect(await store.cache.find("slow")).toEqual([]);
  });

  it("sqliteCache deletes the entries of a database with another format version", async () => {
    using store = createSqliteStore();
    await add(store.cache, "k", "body");
    const other = new DatabaseSync(store.path);
    other.exec("PRAGMA user_version = 99");
    other.close();
    using again = sqliteCache(store.path);
    expect(await again.find("k")).toEqual([]);
  });
});
