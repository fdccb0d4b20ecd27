import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { memoryCache, sqliteCache, type CacheStore } from "@anyscheme/core/cache";
import { describe, expect, it } from "vitest";
import {
  createCachingClient,
  createResponseText,
  startRecordingOriginServer,
} from "./caching-client-and-origin.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const FRESH = "cache-control: max-age=60";

/** Fetches a URL twice, calls `damage` in between, and returns the first character of each body, and the traces. */
async function readAroundDamage(
  damage: (path: string, cache: Disposable) => Promise<void> | void,
): Promise<{ bodies: string[]; traces: string[] }> {
  const path = join(createTemporaryFolder(), "cache.sqlite");
  const cache = sqliteCache(path);
  try {
    await using server = await startRecordingOriginServer((_request, index) =>
      createResponseText(`${index}`.repeat(200_000), [FRESH]),
    );
    const { read, traces } = createCachingClient({ cache });
    const first = await read(server.url());
    await damage(path, cache);
    return { bodies: [first, await read(server.url())].map((body) => body.slice(0, 1)), traces };
  } finally {
    cache.close();
  }
}

describe("a failure of the cache is a miss", () => {
  it("an undamaged database answers the second request", async () => {
    expect((await readAroundDamage(() => undefined)).bodies).toEqual(["0", "0"]);
  });

  it("a request is a miss when the file of the cache is no database", async () => {
    const { bodies, traces } = await readAroundDamage(async (path, cache) => {
      cache[Symbol.dispose]();
      await writeFile(path, "no database ".repeat(100));
    });
    expect(bodies).toEqual(["0", "1"]);
    expect(traces).toContain("unusable: file is not a database");
  });

  it("a request is a miss when the pages of the database are overwritten", async () => {
    const { bodies } = await readAroundDamage(async (path, cache) => {
      cache[Symbol.dispose]();
      const file = await open(path, "r+");
      const { size } = await file.stat();
      for (let at = 4_096; at < size; at += 4_096) await file.write(Buffer.alloc(2_048, 7), 0, 2_048, at);
      await file.close();
    });
    expect(bodies).toEqual(["0", "1"]);
  });

  it("a request is a miss when the database has no chunks of the body", async () => {
    const { bodies } = await readAroundDamage((path) => {
      const database = new DatabaseSync(path);
      database.exec("DELETE FROM chunks");
      database.close();
    });
    expect(bodies).toEqual(["0", "1"]);
  });

  it("a database that another process has locked for writing still answers requests", async () => {
    let other: DatabaseSync | undefined;
    const { bodies, traces } = await readAroundDamage((path) => {
      other = new DatabaseSync(path);
      other.exec("BEGIN EXCLUSIVE; DELETE FROM entries");
    });
    other?.close();
    expect(bodies).toEqual(["0", "0"]);
    expect(traces).toContain("hit, age 0 s");
  });

  it("the client closes a stored body that is larger than its entry states", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("x", [FRESH]));
    const memory = memoryCache();
    let isClosed = false;
    function* readBody(): Generator<Uint8Array> {
      try {
        yield new Uint8Array(2);
      } finally {
        isClosed = true;
      }
    }
    const cache: CacheStore = {
      ...memory,
      find: async (key) => (await memory.find(key)).map((entry) => Object.assign(entry, { readBody })),
    };
    const { read, traces } = createCachingClient({ cache });
    await read(server.url());
    expect(await read(server.url())).toBe("x");
    expect(traces).toContain("unusable: the stored body has another size than 1 bytes");
    expect(isClosed).toBe(true);
  });

  it("a request succeeds with a store whose methods all throw", async () => {
    const fail = (): never => {
      throw new Error("the store is broken");
    };
    const cache: CacheStore = {
      maxEntryBytes: 1_000,
      find: fail,
      createWriter: fail,
      updateMetadata: fail,
      delete: fail,
    };
    await using server = await startRecordingOriginServer(() => createResponseText("x", [FRESH]));
    const { client, read, traces } = createCachingClient({ cache });
    expect(await read(server.url())).toBe("x");
    await client.put(server.url(), "x");
    expect(traces.filter((text) => text === "unusable: the store is broken")).toHaveLength(3);
  });

  it("a request succeeds with a store that fails while a body is written", async () => {
    const writer = {
      write: () => Promise.reject(new Error("disk full")),
      commit: () => undefined,
      abort: () => undefined,
    };
    const cache: CacheStore = {
      maxEntryBytes: 1_000,
      find: () => [],
      createWriter: () => writer,
      updateMetadata: () => undefined,
      delete: () => undefined,
    };
    await using server = await startRecordingOriginServer(() => createResponseText("x", [FRESH]));
    const { read, traces } = createCachingClient({ cache });
    expect(await read(server.url())).toBe("x");
    expect(traces).toEqual(["miss", "unusable: disk full", "not stored: the cache failed"]);
  });
});
