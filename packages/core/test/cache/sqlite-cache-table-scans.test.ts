import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CacheStore, sqliteCache } from "@anyscheme/core/cache";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

async function storeEntry(cache: CacheStore, key: string, size: number): Promise<void> {
  const writer = await cache.createWriter({ key, variant: "v", metadata: "{}" });
  await writer.write(new Uint8Array(size));
  await writer.commit();
}

/** Returns the stored total size of all entries, and the sum of their actual sizes. */
function readSums(path: string): { stored: number; actual: number } {
  using database = new DatabaseSync(path);
  const texts = "length(key) + length(variant) + length(metadata)";
  return database
    .prepare(
      `SELECT (SELECT bytes FROM usage) AS stored,
        (SELECT total(size + 2 * (${texts}) + 256) FROM entries) AS actual`,
    )
    .get() as { stored: number; actual: number };
}

describe("the statements and the stored total size of sqliteCache", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("no SQL statement of sqliteCache reads a whole table", async () => {
    const path = join(createTemporaryFolder(), "cache.sqlite");
    const statements = new Set<string>();
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the spy calls the method with its connection
    const { prepare } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, sql) {
      statements.add(sql);
      return prepare.call(this, sql);
    });
    const cache = sqliteCache(path, { maxBytes: 3_000, maxEntryBytes: 1_000 });
    for (let index = 0; index < 20; index++) await storeEntry(cache, `${index}`, 500);
    expect(await cache.find("19")).toHaveLength(1);
    await cache.updateMetadata({ key: "19", variant: "v", metadata: "new" });
    await cache.delete("19");
    cache.close();
    vi.restoreAllMocks();

    using database = new DatabaseSync(path);
    const triggers = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").all() as {
      sql: string;
    }[];
    const triggerStatements = triggers.map(({ sql }) =>
      (/BEGIN\s(.*);\s*END$/s.exec(sql)?.[1] ?? "").replace(/\b(?:new|old)\.\w+/g, "1"),
    );
    const plans = [...statements, ...triggerStatements]
      .filter((sql) => /^\s*(?:SELECT|INSERT|UPDATE|DELETE)/.test(sql) && !sql.includes("sqlite_schema"))
      .map((sql) => {
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
        return { sql, scans: steps.map(({ detail }) => detail).filter((detail) => /SCAN/.test(detail)) };
      });
    expect(plans.length).toBeGreaterThan(10);
    // The eviction reads the least recently used entries in the order of an index.
    expect(plans.filter(({ scans }) => scans.length > 0)).toEqual([
      {
        sql: "SELECT id, bytes FROM entries ORDER BY used, id LIMIT ?",
        scans: ["SCAN entries USING INDEX entries_by_use"],
      },
    ]);
    expect(triggerStatements).toHaveLength(4);
  });

  it("the stored total size of all entries is updated after each change, even by another sqliteCache", async () => {
    const path = join(createTemporaryFolder(), "cache.sqlite");
    using first = sqliteCache(path, { maxBytes: 150_000, maxEntryBytes: 5_000 });
    using second = sqliteCache(path, { maxBytes: 150_000, maxEntryBytes: 5_000 });
    for (let index = 0; index < 60; index++) {
      const [cache, other] = index % 2 === 0 ? [first, second] : [second, first];
      await storeEntry(cache, `${index % 40}`, 37 * index);
      await other.updateMetadata({ key: `${index % 40}`, variant: "v", metadata: "m".repeat(index) });
      if (index % 7 === 0) await other.delete(`${index % 40}`);
      // A program that ends before the commit leaves its chunks.
      if (index % 11 === 0) {
        const writer = await first.createWriter({ key: "lost", variant: "", metadata: "" });
        await writer.write(new Uint8Array(70_000));
      }
      const { stored, actual } = readSums(path);
      expect(stored).toBe(actual);
    }
    await storeEntry(first, "last", 10);
    const { stored, actual } = readSums(path);
    expect(stored).toBe(actual);
    expect(stored).toBeLessThanOrEqual(150_000);
  });
});
