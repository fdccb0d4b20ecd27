// The interface between the client and the memory or database that stores its responses.

/**
 * The way in which a request uses the cache, as in the Fetch standard.
 * <https://fetch.spec.whatwg.org/#concept-request-cache-mode>
 */
export type CacheMode = "default" | "no-store" | "reload" | "no-cache" | "force-cache" | "only-if-cached";

/** An entry of a cache: a stored body with its metadata. */
export interface CacheEntry {
  /** The URL without login and fragment. A store may have several entries with the same key. */
  readonly key: string;
  /** A text that distinguishes the entries of one key, for example by a digest of the user's credentials. */
  readonly variant: string;
  /** The metadata of the entry: a text in JSON, which contains no credentials in clear text. */
  readonly metadata: string;
  /** The size of the body in bytes. */
  readonly size: number;
  /**
   * Returns the stored body in chunks. The caller may change the bytes of these chunks, and the stored body stays the
   * same. A body that is being read remains readable when the store deletes its entry. Throws when the body is damaged.
   */
  readBody(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** A new entry that the client passes to a cache store. */
export interface CacheEntryInit {
  readonly key: string;
  readonly variant: string;
  readonly metadata: string;
}

/**
 * Receives the body of a new cache entry. The entry exists after `commit`, and replaces the entry with the same key and
 * variant.
 */
export interface CacheWriter {
  /** Adds a chunk. The store copies the bytes or writes them before it returns. */
  write(bytes: Uint8Array): void | Promise<void>;
  /** Adds the complete entry to the store. Deletes the least recently used entries beyond `maxBytes`. */
  commit(): void | Promise<void>;
  /** Discards the body. */
  abort(): void | Promise<void>;
}

/**
 * Stores complete bodies of responses and files with their metadata. Several clients may use a store at the same time.
 * When a method throws, the client treats the call as a cache miss and continues the request.
 */
export interface CacheStore {
  /** The maximum size of one body in bytes. The client does not store a body above this size in the cache. */
  readonly maxEntryBytes: number;
  /** True for a cache whose clients serve several users. A shared cache stores no private responses. Default false. */
  readonly isShared?: boolean | undefined;
  /** Returns the entries with a key, the newest first, and marks them as used. */
  find(key: string): readonly CacheEntry[] | Promise<readonly CacheEntry[]>;
  /** Starts to write a new entry. */
  createWriter(init: CacheEntryInit): CacheWriter | Promise<CacheWriter>;
  /** Replaces the metadata of a cache entry. Does nothing when the cache entry does not exist. */
  updateMetadata(init: CacheEntryInit): void | Promise<void>;
  /** Deletes the entries with a key, or only the entry with a variant. */
  delete(key: string, variant?: string): void | Promise<void>;
}

/** The maximum number of entries with the same key in a cache store. */
export const MAX_ENTRIES_PER_KEY = 16;

/** The size of an entry without its body and texts, in bytes: the space of records, indexes and objects. */
export const ENTRY_OVERHEAD_BYTES = 256;
