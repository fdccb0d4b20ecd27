import { checkArgument, checkOptions } from "../options/check-options.ts";
import { type CacheEntry, type CacheEntryInit, type CacheStore, type CacheWriter } from "./cache-store.ts";
import { CACHE_OPTION_KINDS, type CacheOptions, DEFAULT_MAX_ENTRY_BYTES_DIVISOR } from "./memory-cache.ts";
import { CacheDatabase } from "./cache-database.ts";

const DEFAULT_MAX_BYTES = 268_435_456;

/** The size of the parts of a body in the database, in bytes. */
const CHUNK_BYTES = 65_536;

const PATH_KIND = {
  expects: "the path of a file",
  accepts: (value: unknown) => typeof value === "string" && value !== "" && value !== ":memory:",
};

/** A cache in a database, which the program may close. */
export interface SqliteCache extends CacheStore, Disposable {
  /** Closes the database. The cache opens the database again when a client uses it. */
  close(): void;
}

/**
 * Returns a cache in a SQLite database, for the client option `cache`. Several processes may use the database at the
 * same time. At its first use, the cache creates a file that only its user can read and write (mode 0600). The cache
 * never changes a file that is no database of this cache. A damaged or locked database is a cache miss. Throws
 * `TypeError` for an invalid option, and in a runtime without `node:sqlite`.
 */
export function sqliteCache(path: string, options: CacheOptions = {}): SqliteCache {
  checkArgument("sqliteCache", "path", path, PATH_KIND);
  checkOptions("sqliteCache", options, CACHE_OPTION_KINDS);
  const { maxBytes = DEFAULT_MAX_BYTES } = options;
  const maxEntryBytes = Math.min(
    options.maxEntryBytes ?? maxBytes / DEFAULT_MAX_ENTRY_BYTES_DIVISOR,
    maxBytes,
  );
  const database = new CacheDatabase(path, maxBytes);

  const close = (): void => database.close();
  return {
    maxEntryBytes,
    isShared: options.shared,
    find(key) {
      const rows = database.findEntries(key);
      if (rows.length > 0) database.markUsed(key);
      return rows.map(({ id, variant, metadata, size }): CacheEntry => ({
        key,
        variant,
        metadata,
        size,
        readBody: () => database.readChunks(id, size <= CHUNK_BYTES),
      }));
    },
    createWriter: (init) => createDatabaseWriter(database, init),
    updateMetadata: (init) => database.updateMetadata(init),
    delete: (key, variant) => database.deleteEntries(key, variant),
    close,
    [Symbol.dispose]: close,
  };
}

function createDatabaseWriter(database: CacheDatabase, init: CacheEntryInit): CacheWriter {
  const entry = database.insertEntry(init);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let buffered = 0;
  let position = 0;

  function flush(): void {
    if (buffered === 0) return;
    database.insertChunk(entry, position++, buffer.subarray(0, buffered));
    buffered = 0;
  }

  return {
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        const part = bytes.subarray(at, at + CHUNK_BYTES - buffered);
        buffer.set(part, buffered);
        buffered += part.length;
        at += part.length;
        if (buffered === CHUNK_BYTES) flush();
      }
    },
    commit() {
      flush();
      database.commitEntry(entry, init);
    },
    abort: () => database.deleteEntry(entry),
  };
}
