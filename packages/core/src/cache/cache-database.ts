import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type * as sqlite from "node:sqlite";
import { type CacheEntryInit, MAX_ENTRIES_PER_KEY } from "./cache-store.ts";

/**
 * The `application_id` of a database that `sqliteCache` has created: `AnyS` in ASCII.
 * <https://sqlite.org/pragma.html#pragma_application_id>
 */
const APPLICATION_ID = 0x416e7953;

/** The version of the tables. `sqliteCache` empties a database whose tables have another version. */
const FORMAT_VERSION = 2;

/** The wait for a lock of another process, in milliseconds. The wait blocks the program. */
const LOCK_TIMEOUT_MS = 20;

/** The age after which the rows of an interrupted program are deleted, in microseconds: one day. */
const MAX_WRITE_US = 86_400_000_000;

// An entry is visible to requests when `complete` is 1. `used` and `written` are times in microseconds: of the last
// use, and of the last change of the metadata. A chunk is a part of the body of an entry, and `size` is the size of all
// chunks, also of the chunks that an interrupted program has left.
const TABLES = `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    variant TEXT NOT NULL,
    metadata TEXT NOT NULL,
    size INTEGER NOT NULL DEFAULT 0,
    used INTEGER NOT NULL,
    written INTEGER NOT NULL DEFAULT 0,
    complete INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX entries_by_key ON entries (key, variant);
  CREATE TABLE chunks (
    entry INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (entry, position)
  );
  CREATE TRIGGER count_chunk AFTER INSERT ON chunks BEGIN
    UPDATE entries SET size = size + length(new.bytes) WHERE id = new.entry;
  END;`;

const SELECT_CHUNKS = "SELECT bytes FROM chunks WHERE entry = ? ORDER BY position";
const NEWEST_FIRST = "ORDER BY written DESC, id DESC";
const ENTRY_BYTES = "size + 2 * (length(key) + length(variant) + length(metadata))";

interface EntryRow {
  readonly id: number;
  readonly variant: string;
  readonly metadata: string;
  readonly size: number;
}

interface OpenDatabase {
  readonly connection: sqlite.DatabaseSync;
  readonly statements: Map<string, sqlite.StatementSync>;
}

/** The tables of a cache in a SQLite database. Opens the database at the first access. */
export class CacheDatabase {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #sqlite: typeof sqlite;
  #open: OpenDatabase | undefined;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#sqlite = loadSqlite();
  }

  /** Returns the entries with a key, the newest first. */
  findEntries(key: string): EntryRow[] {
    const sql = `SELECT id, variant, metadata, size FROM entries WHERE key = ? AND complete = 1 ${NEWEST_FIRST}`;
    return this.#prepare(sql).all(key) as unknown as EntryRow[];
  }

  /** Marks the entries with a key as used. Does nothing while another process has locked the database. */
  markUsed(key: string): void {
    try {
      this.#run("UPDATE entries SET used = ? WHERE key = ?", nowUs(), key);
    } catch {
      // The next request marks the entries as used.
    }
  }

  /** Returns the chunks of a body. A large body is read from a snapshot of the database, on its own connection. */
  readChunks(entry: number, isSmall: boolean): Iterable<Uint8Array> {
    const path = this.#path;
    const { DatabaseSync } = this.#sqlite;
    if (isSmall) return (this.#prepare(SELECT_CHUNKS).all(entry) as { bytes: Uint8Array }[]).map(getBytes);
    return (function* () {
      const connection = new DatabaseSync(path, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
      try {
        // The open statement keeps the snapshot, also when another process deletes the entry.
        for (const row of connection.prepare(SELECT_CHUNKS).iterate(entry))
          yield getBytes(row as { bytes: Uint8Array });
      } finally {
        connection.close();
      }
    })();
  }

  /** Inserts an entry that is not complete yet. Returns its number. */
  insertEntry({ key, variant, metadata }: CacheEntryInit): number {
    const sql = "INSERT INTO entries (key, variant, metadata, used) VALUES (?, ?, ?, ?)";
    return Number(this.#run(sql, key, variant, metadata, nowUs()).lastInsertRowid);
  }

  insertChunk(entry: number, position: number, bytes: Uint8Array): void {
    this.#run("INSERT INTO chunks (entry, position, bytes) VALUES (?, ?, ?)", entry, position, bytes);
  }

  /**
   * Replaces the entry with the same variant. Deletes the oldest entries of the key beyond `MAX_ENTRIES_PER_KEY`, and
   * the least recently used entries beyond the maximum.
   */
  commitEntry(entry: number, { key, variant }: CacheEntryInit): void {
    this.#transact(() => {
      this.#run("DELETE FROM entries WHERE key = ? AND variant = ? AND complete = 1", key, variant);
      const sql = "UPDATE entries SET complete = 1, used = ?1, written = ?1 WHERE id = ?2";
      if (this.#run(sql, nowUs(), entry).changes !== 1) throw new Error("the entry was deleted meanwhile");
      const older = `SELECT id FROM entries WHERE key = ? AND complete = 1 ${NEWEST_FIRST} LIMIT -1 OFFSET ?`;
      this.#run(`DELETE FROM entries WHERE id IN (${older})`, key, MAX_ENTRIES_PER_KEY);
      const { total } = this.#prepare(`SELECT total(${ENTRY_BYTES}) AS total FROM entries`).get() as {
        total: number;
      };
      if (total > this.#maxBytes) this.#deleteLeastRecentlyUsed();
    });
  }

  updateMetadata({ key, variant, metadata }: CacheEntryInit): void {
    const sql = "UPDATE entries SET metadata = ?, written = ? WHERE key = ? AND variant = ? AND complete = 1";
    this.#run(sql, metadata, nowUs(), key, variant);
  }

  deleteEntries(key: string, variant: string | undefined): void {
    this.#run("DELETE FROM entries WHERE key = ?1 AND variant = coalesce(?2, variant)", key, variant ?? null);
  }

  deleteEntry(entry: number): void {
    this.#run("DELETE FROM entries WHERE id = ?", entry);
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.connection.close();
  }

  /** Also deletes the chunks of interrupted programs. A program that still writes such an entry cannot commit it. */
  #deleteLeastRecentlyUsed(): void {
    const running = `SELECT id, sum(${ENTRY_BYTES}) OVER (ORDER BY used DESC, id DESC) AS total FROM entries`;
    this.#run(
      `DELETE FROM entries WHERE id IN (SELECT id FROM (${running}) WHERE total > ?)`,
      this.#maxBytes,
    );
  }

  #run(
    sql: string,
    ...values: (string | number | Uint8Array | null)[]
  ): ReturnType<sqlite.StatementSync["run"]> {
    return this.#prepare(sql).run(...values);
  }

  #prepare(sql: string): sqlite.StatementSync {
    const { connection, statements } = (this.#open ??= this.#openDatabase());
    let statement = statements.get(sql);
    if (!statement) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  #transact(work: () => void): void {
    this.#prepare("BEGIN IMMEDIATE").run();
    try {
      work();
      this.#prepare("COMMIT").run();
    } catch (error) {
      this.#prepare("ROLLBACK").run();
      throw error;
    }
  }

  #openDatabase(): OpenDatabase {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    // SQLite gives its journal files the permissions of the database file.
    closeSync(openSync(this.#path, "a", 0o600));
    const connection = new this.#sqlite.DatabaseSync(this.#path, { timeout: LOCK_TIMEOUT_MS });
    try {
      prepareTables(connection, this.#path);
    } catch (error) {
      connection.close();
      throw error;
    }
    return { connection, statements: new Map() };
  }
}

function loadSqlite(): typeof sqlite {
  const module = process.getBuiltinModule("node:sqlite") as typeof sqlite | undefined;
  if (!module) throw new TypeError("sqliteCache: this runtime has no module node:sqlite; use memoryCache");
  return module;
}

/** Creates the tables in an empty database. Throws for a database of another program. */
function prepareTables(connection: sqlite.DatabaseSync, path: string): void {
  connection.exec("BEGIN");
  const content = readDatabaseContent(connection);
  connection.exec("COMMIT");
  if (content === "foreign") throw new Error(`${path} is a database of another program`);
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (content === "current") {
    connection.prepare("DELETE FROM entries WHERE complete = 0 AND used < ?").run(nowUs() - MAX_WRITE_US);
    return;
  }
  connection.exec("BEGIN IMMEDIATE");
  // Another process may have created the tables since the first check.
  if (readDatabaseContent(connection) !== "current")
    connection.exec(`DROP TABLE IF EXISTS chunks;
    DROP TABLE IF EXISTS entries;
    ${TABLES}
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${FORMAT_VERSION}`);
  connection.exec("COMMIT");
}

/**
 * Returns the content of a database: the current tables, no tables or those of another version, or the tables of
 * another program. The caller has begun a transaction, so that all values are of the same time.
 */
function readDatabaseContent(connection: sqlite.DatabaseSync): "current" | "outdated" | "foreign" {
  const readPragma = (name: string): unknown => connection.prepare(`PRAGMA ${name}`).get()?.[name];
  const { count } = connection.prepare("SELECT count(*) AS count FROM sqlite_schema").get() as {
    count: number;
  };
  if (readPragma("application_id") !== APPLICATION_ID) return count > 0 ? "foreign" : "outdated";
  return readPragma("user_version") === FORMAT_VERSION ? "current" : "outdated";
}

/** Returns the time in microseconds since 1970. Two uses within one millisecond have different times. */
function nowUs(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}

function getBytes({ bytes }: { readonly bytes: Uint8Array }): Uint8Array {
  return bytes;
}
