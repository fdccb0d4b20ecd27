import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type * as sqlite from "node:sqlite";
import { ENTRY_OVERHEAD_BYTES } from "./cache-store.ts";

/**
 * The `application_id` of a database that `sqliteCache` has created: `AnyS` in ASCII.
 * <https://sqlite.org/pragma.html#pragma_application_id>
 */
const APPLICATION_ID = 0x416e7953;

/**
 * The version of the tables in the cache database. `sqliteCache` empties a database whose tables have another version.
 */
const FORMAT_VERSION = 3;

/**
 * The maximum wait for a lock of another process on the cache database, in milliseconds. The wait for the lock of the
 * database blocks the event loop of the program.
 */
const LOCK_TIMEOUT_MS = 20;

/** The age after which the rows of an interrupted program are deleted, in microseconds: one day. */
const MAX_WRITE_US = 86_400_000_000;

// An entry is visible to requests when `complete` is 1. `used` and `written` are times in microseconds: of the last
// use, and of the last change of the metadata. A chunk is a part of the body of an entry, and `size` is the size of all
// chunks, also of the chunks that an interrupted program has left. `bytes` is the size of an entry, and SQL triggers
// keep the sum of all `bytes` in `usage`. A sum over all entries would read the whole table at each commit.
const TABLES = `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    variant TEXT NOT NULL,
    metadata TEXT NOT NULL,
    size INTEGER NOT NULL DEFAULT 0,
    used INTEGER NOT NULL,
    written INTEGER NOT NULL DEFAULT 0,
    complete INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER AS (size + 2 * (length(key) + length(variant) + length(metadata)) + ${ENTRY_OVERHEAD_BYTES})
  );
  CREATE INDEX entries_by_key ON entries (key, variant);
  CREATE INDEX entries_by_use ON entries (used);
  CREATE INDEX incomplete_entries_by_use ON entries (used) WHERE complete = 0;
  CREATE TABLE usage (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
  INSERT INTO usage VALUES (1, 0);
  CREATE TRIGGER count_entry AFTER INSERT ON entries BEGIN
    UPDATE usage SET bytes = bytes + new.bytes WHERE id = 1;
  END;
  CREATE TRIGGER count_changed_entry AFTER UPDATE OF size, metadata ON entries BEGIN
    UPDATE usage SET bytes = bytes + new.bytes - old.bytes WHERE id = 1;
  END;
  CREATE TRIGGER count_deleted_entry AFTER DELETE ON entries BEGIN
    UPDATE usage SET bytes = bytes - old.bytes WHERE id = 1;
  END;
  CREATE TABLE chunks (
    entry INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (entry, position)
  );
  CREATE TRIGGER count_chunk AFTER INSERT ON chunks BEGIN
    UPDATE entries SET size = size + length(new.bytes) WHERE id = new.entry;
  END;`;

type SqlValue = string | number | Uint8Array | null;

interface OpenDatabase {
  readonly connection: sqlite.DatabaseSync;
  readonly statements: Map<string, sqlite.StatementSync>;
}

/** The SQLite database of a cache. Opens the database at the first access. */
export class CacheDatabase {
  readonly #path: string;
  readonly #sqlite: typeof sqlite;
  #open: OpenDatabase | undefined;

  /** Throws `TypeError` in a runtime without `node:sqlite`. */
  constructor(path: string) {
    this.#path = path;
    this.#sqlite = loadSqlite();
  }

  /** Executes an SQL statement that returns no rows. */
  run(sql: string, ...values: SqlValue[]): ReturnType<sqlite.StatementSync["run"]> {
    return this.#prepare(sql).run(...values);
  }

  /** Returns the rows of a query. */
  all(sql: string, ...values: SqlValue[]): unknown[] {
    return this.#prepare(sql).all(...values);
  }

  /** Yields the rows of a query from a snapshot of the database, on its own connection. */
  *iterateSnapshot(sql: string, ...values: SqlValue[]): Generator<unknown, void> {
    const connection = new this.#sqlite.DatabaseSync(this.#path, {
      readOnly: true,
      timeout: LOCK_TIMEOUT_MS,
    });
    try {
      // The open statement keeps the snapshot, even when another process deletes the rows.
      yield* connection.prepare(sql).iterate(...values);
    } finally {
      connection.close();
    }
  }

  /** Executes SQL statements in a transaction. An error rolls the transaction back. */
  transact(work: () => void): void {
    this.#prepare("BEGIN IMMEDIATE").run();
    try {
      work();
      this.#prepare("COMMIT").run();
    } catch (error) {
      this.#prepare("ROLLBACK").run();
      throw error;
    }
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.connection.close();
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

/**
 * Creates the tables in an empty database, and replaces tables of another version. Throws if the file is a database of
 * another program.
 */
function prepareTables(connection: sqlite.DatabaseSync, path: string): void {
  connection.exec("BEGIN");
  const content = readDatabaseContent(connection);
  connection.exec("COMMIT");
  if (content === "foreign") throw new Error(`${path} is a database of another program`);
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (content === "current") {
    connection
      .prepare("DELETE FROM entries WHERE complete = 0 AND used < ?")
      .run(getEpochMicroseconds() - MAX_WRITE_US);
    return;
  }
  connection.exec("BEGIN IMMEDIATE");
  // Another process may have created the tables since the first check.
  if (readDatabaseContent(connection) !== "current")
    connection.exec(`DROP TABLE IF EXISTS chunks;
    DROP TABLE IF EXISTS entries;
    DROP TABLE IF EXISTS usage;
    ${TABLES}
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${FORMAT_VERSION}`);
  connection.exec("COMMIT");
}

/**
 * Returns what a database contains: the current tables (`"current"`), no tables or those of another version
 * (`"outdated"`), or the tables of another program (`"foreign"`). The caller has begun a transaction, so that all
 * values come from the same state of the database.
 */
function readDatabaseContent(connection: sqlite.DatabaseSync): "current" | "outdated" | "foreign" {
  const readPragma = (name: string): unknown => connection.prepare(`PRAGMA ${name}`).get()?.[name];
  const { count } = connection.prepare("SELECT count(*) AS count FROM sqlite_schema").get() as {
    count: number;
  };
  if (readPragma("application_id") !== APPLICATION_ID) return count > 0 ? "foreign" : "outdated";
  return readPragma("user_version") === FORMAT_VERSION ? "current" : "outdated";
}

/** The time in microseconds since 1970, which distinguishes two uses of an entry within one millisecond. */
export function getEpochMicroseconds(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}
