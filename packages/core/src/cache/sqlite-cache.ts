import { checkArgument, checkOptions } from "../options/check-options.ts";
import {
  type CacheEntryInit,
  type CacheStore,
  type CacheWriter,
  MAX_ENTRIES_PER_KEY,
} from "./cache-store.ts";
import { CACHE_OPTION_KINDS, type CacheOptions, getMaxEntryBytes } from "./memory-cache.ts";
import { CacheDatabase, getEpochMicroseconds } from "./cache-database.ts";

const DEFAULT_MAX_BYTES = 268_435_456;

/** The size of the parts of a body in the database, in bytes. */
const CHUNK_BYTES = 65_536;

const NEWEST_FIRST = "ORDER BY written DESC, id DESC";

/** The number of entries that the search for the least recently used entries reads at a time. */
const EVICTION_BATCH = 64;

interface EntryRow {
  readonly id: number;
  readonly variant: string;
  readonly metadata: string;
  readonly size: number;
}

const PATH_KIND = {
  expects: "the path of a file",
  accepts: (value: unknown) => typeof value === "string" && value !== "" && value !== ":memory:",
};

/** A cache in a database, which the program may close. */
export interface SqliteCache extends CacheStore, Disposable {
  /** Closes the database. The cache opens the database again at its next use. */
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
  const database = new CacheDatabase(path);

  const close = (): void => database.close();
  return {
    maxEntryBytes: getMaxEntryBytes(options, maxBytes),
    isShared: options.shared,
    find(key) {
      const sql = `SELECT id, variant, metadata, size FROM entries WHERE key = ? AND complete = 1 ${NEWEST_FIRST}`;
      const rows = database.all(sql, key) as EntryRow[];
      if (rows.length > 0) markUsed(database, key);
      return rows.map(({ id, variant, metadata, size }) => ({
        key,
        variant,
        metadata,
        size,
        readBody: () => readChunks(database, id, size <= CHUNK_BYTES),
      }));
    },
    createWriter: (init) => createDatabaseWriter(database, init, maxBytes),
    updateMetadata({ key, variant, metadata }) {
      const sql =
        "UPDATE entries SET metadata = ?, written = ? WHERE key = ? AND variant = ? AND complete = 1";
      database.run(sql, metadata, getEpochMicroseconds(), key, variant);
    },
    delete(key, variant) {
      const sql = "DELETE FROM entries WHERE key = ?1 AND variant = coalesce(?2, variant)";
      database.run(sql, key, variant ?? null);
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** Marks the entries with a key as used. Does nothing while another process has locked the database. */
function markUsed(database: CacheDatabase, key: string): void {
  try {
    database.run("UPDATE entries SET used = ? WHERE key = ?", getEpochMicroseconds(), key);
  } catch {
    // If the database is locked, the next request marks the entries as used.
  }
}

/** Yields the chunks of a body. A large body is read from a snapshot, and remains readable without its entry. */
function* readChunks(database: CacheDatabase, entry: number, isSmall: boolean): Generator<Uint8Array> {
  const sql = "SELECT bytes FROM chunks WHERE entry = ? ORDER BY position";
  const rows = isSmall ? database.all(sql, entry) : database.iterateSnapshot(sql, entry);
  for (const { bytes } of rows as Iterable<{ readonly bytes: Uint8Array }>) yield bytes;
}

function createDatabaseWriter(database: CacheDatabase, init: CacheEntryInit, maxBytes: number): CacheWriter {
  const { key, variant, metadata } = init;
  const sql = "INSERT INTO entries (key, variant, metadata, used) VALUES (?, ?, ?, ?)";
  const entry = Number(database.run(sql, key, variant, metadata, getEpochMicroseconds()).lastInsertRowid);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let buffered = 0;
  let position = 0;

  function flush(): void {
    if (buffered === 0) return;
    const chunk = buffer.subarray(0, buffered);
    database.run("INSERT INTO chunks (entry, position, bytes) VALUES (?, ?, ?)", entry, position++, chunk);
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
      database.transact(() => {
        replaceEntry(database, entry, init);
        deleteLeastRecentlyUsed(database, maxBytes);
      });
    },
    abort: () => void database.run("DELETE FROM entries WHERE id = ?", entry),
  };
}

/**
 * Makes a complete cache entry visible in place of the entry with the same key and variant. Deletes the oldest entries
 * of the key beyond `MAX_ENTRIES_PER_KEY`.
 */
function replaceEntry(database: CacheDatabase, entry: number, { key, variant }: CacheEntryInit): void {
  database.run("DELETE FROM entries WHERE key = ? AND variant = ? AND complete = 1", key, variant);
  const sql = "UPDATE entries SET complete = 1, used = ?1, written = ?1 WHERE id = ?2";
  if (database.run(sql, getEpochMicroseconds(), entry).changes !== 1)
    throw new Error("the entry was deleted meanwhile");
  const older = `SELECT id FROM entries WHERE key = ? AND complete = 1 ${NEWEST_FIRST} LIMIT -1 OFFSET ?`;
  database.run(`DELETE FROM entries WHERE id IN (${older})`, key, MAX_ENTRIES_PER_KEY);
}

/**
 * Deletes the least recently used entries beyond the maximum, also incomplete entries. A program that still writes a
 * deleted entry cannot commit it.
 */
function deleteLeastRecentlyUsed(database: CacheDatabase, maxBytes: number): void {
  const [{ bytes: total }] = database.all("SELECT bytes FROM usage WHERE id = 1") as [{ bytes: number }];
  let excess = total - maxBytes;
  while (excess > 0) {
    const sql = "SELECT id, bytes FROM entries ORDER BY used, id LIMIT ?";
    const oldest = database.all(sql, EVICTION_BATCH) as { id: number; bytes: number }[];
    if (oldest.length === 0) return;
    for (const { id, bytes } of oldest) {
      if (excess <= 0) return;
      database.run("DELETE FROM entries WHERE id = ?", id);
      excess -= bytes;
    }
  }
}
