import { AccessError } from "../errors/access-error.ts";
import type { CacheEntry, CacheMode, CacheStore } from "./cache-store.ts";
import type { ByteSource } from "../scheme/context.ts";
import { createStoringSource } from "./storing-source.ts";

/** An entry of the cache that a request may use. */
export interface CacheEntryAllowedByPolicy {
  readonly variant: string;
  /** The value that the scheme, such as http, stored with the cache entry. */
  readonly schemeData: unknown;
  /** The size of the body in bytes. */
  readonly size: number;
  /** Returns a source of the body. Resolves to `undefined` when the cache cannot read the body. */
  openBody(): Promise<ByteSource | undefined>;
}

/** A new entry that a scheme adds to the cache. */
export interface NewCacheEntry {
  readonly key: string;
  /** A digest of the user's credentials, or an empty text. A request finds only entries of its own partition. */
  readonly partition: string;
  /** The value that distinguishes the cache entries of one key and partition. Default: an empty text. */
  readonly variant?: string | undefined;
  /**
   * The data that the scheme stores with the cache entry: a value that JSON can represent. The data in the cache entry
   * must not contain credentials.
   */
  readonly schemeData: unknown;
  /** The size of the body in bytes, if it is known. */
  readonly size?: number | undefined;
  /**
   * Called when the body has been read to its end. If the callback returns false, the cache entry is discarded.
   * Default: the cache entry is stored.
   */
  readonly isContentUnchanged?: (() => boolean) | undefined;
}

/**
 * The cache methods that an access method calls during a hop. The guard checks the server of a stored response by the
 * rules for a connection to this server. A failure of the cache store is a cache miss.
 */
export interface RequestCache {
  readonly mode: CacheMode;
  /** True for a cache that stores no private responses. */
  readonly isShared: boolean;
  /** Returns the entries of a key and partition whose servers the policy allows, the newest first. */
  find(key: string, partition: string): Promise<readonly CacheEntryAllowedByPolicy[]>;
  /**
   * Returns a source that stores the body while the caller reads it. The new cache entry exists when the caller has
   * read the body to its end. A body that is larger than the maximum of the store is passed on and not stored.
   */
  store(init: NewCacheEntry, source: ByteSource): Promise<ByteSource>;
  /** Replaces the scheme's data in a cache entry that `find` has returned. */
  update(init: NewCacheEntry): Promise<void>;
  /** Deletes all cache entries with a key. */
  invalidate(key: string): Promise<void>;
}

/** The data and functions of a hop (one URL of a request) that its cache uses. */
export interface RequestCacheContext {
  readonly mode: CacheMode;
  /** Returns the addresses of the connected server, or `undefined` for a name that a proxy has resolved. */
  getServerAddresses(): readonly string[] | undefined;
  /** Applies the policy to a stored response. Rejects when the policy refuses a connection to `addresses`. */
  checkServerOfStoredResponse(addresses: readonly string[] | undefined): Promise<void>;
  trace(text: string): void;
}

/**
 * The version of the format of the metadata in cache entries. Entries whose metadata have another version are ignored.
 */
const METADATA_VERSION = 1;

interface Metadata {
  readonly version: typeof METADATA_VERSION;
  readonly partition: string;
  /** The addresses of the server, or null for a name that a proxy has resolved. */
  readonly addresses: readonly string[] | null;
  readonly data: unknown;
}

export function createRequestCacheOnStore(store: CacheStore, hop: RequestCacheContext): RequestCache {
  const toVariant = ({ partition, variant = "" }: NewCacheEntry): string => `${partition} ${variant}`;
  const toMetadata = ({ partition, schemeData }: NewCacheEntry, addresses: Metadata["addresses"]): string =>
    JSON.stringify({ version: METADATA_VERSION, partition, addresses, data: schemeData } satisfies Metadata);

  /** Calls the cache store. Reports a failure of the store as a trace event and returns `undefined`. */
  async function call<T>(use: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await use();
    } catch (error) {
      hop.trace(`unusable: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async function toUsableEntry(
    entry: CacheEntry,
    partition: string,
  ): Promise<CacheEntryAllowedByPolicy | undefined> {
    const metadata = parseMetadata(entry.metadata);
    if (metadata?.partition !== partition) return undefined;
    try {
      await hop.checkServerOfStoredResponse(metadata.addresses ?? undefined);
    } catch {
      // The policy refuses the server of the stored response. The client then sends the request to the server, and the
      // guard reports the refusal.
      return undefined;
    }
    return {
      variant: entry.variant.slice(partition.length + 1),
      schemeData: metadata.data,
      size: entry.size,
      async openBody() {
        const deleteEntry = (): Promise<unknown> => call(() => store.delete(entry.key, entry.variant));
        const onDamage = (): void => void deleteEntry().catch(() => undefined);
        const source = await call(() => openEntrySource(entry, onDamage));
        if (!source) await deleteEntry();
        return source;
      },
    };
  }

  return {
    mode: hop.mode,
    isShared: store.isShared === true,
    async find(key, partition) {
      const entries = (await call(() => store.find(key))) ?? [];
      const usable = await Promise.all(entries.map((entry) => toUsableEntry(entry, partition)));
      return usable.filter((entry) => entry !== undefined);
    },
    async store(init, source) {
      if ((init.size ?? 0) > store.maxEntryBytes) return source;
      const metadata = toMetadata(init, hop.getServerAddresses() ?? null);
      const writer = await call(() =>
        store.createWriter({ key: init.key, variant: toVariant(init), metadata }),
      );
      return writer
        ? createStoringSource(source, writer, {
            maxBytes: store.maxEntryBytes,
            isContentUnchanged: init.isContentUnchanged,
            call,
            hop,
          })
        : source;
    },
    async update(init) {
      const metadata = toMetadata(init, hop.getServerAddresses() ?? null);
      await call(() => store.updateMetadata({ key: init.key, variant: toVariant(init), metadata }));
    },
    async invalidate(key) {
      await call(() => store.delete(key));
    },
  };
}

/**
 * Returns the metadata of a cache entry. Returns `undefined` for damaged metadata and for metadata of another version.
 */
function parseMetadata(text: string): Metadata | undefined {
  try {
    const metadata = JSON.parse(text) as Metadata;
    return metadata.version === METADATA_VERSION ? metadata : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the first chunk and returns a source of the body of an entry. Rejects when the stored body is damaged. A source
 * that finds damage later calls `onDamage`.
 */
async function openEntrySource(entry: CacheEntry, onDamage: () => void): Promise<ByteSource> {
  const body = entry.readBody();
  const chunks = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  let received = 0;
  let isCancelled = false;
  /** Frees the resources of the iterator, such as the connection to a database. */
  const close = (): void => void (async () => chunks.return?.())().catch(() => undefined);

  async function readChunk(): Promise<Uint8Array | undefined> {
    const { done, value } = await chunks.next();
    received += done ? 0 : value.length;
    const isDamaged = done ? received < entry.size : received > entry.size;
    if (isDamaged) close();
    if (isDamaged) throw new Error(`the stored body has another size than ${entry.size} bytes`);
    return done ? undefined : value;
  }

  async function readNextChunk(): Promise<Uint8Array | undefined> {
    try {
      return await readChunk();
    } catch (cause) {
      onDamage();
      throw new AccessError("incomplete", "the cache cannot read the stored body", { cause });
    }
  }

  let next = await readChunk();
  return {
    async readChunks(onChunk) {
      for (;;) {
        if (isCancelled) throw new AccessError("aborted", "the transfer was cancelled");
        const chunk = next;
        if (!chunk) return "end";
        next = undefined;
        const wantsMore = onChunk(chunk);
        // After `cancel`, the iterator ends before the end of the body, which does not count as damage.
        if (isCancelled) return "more";
        next = await readNextChunk();
        if (!wantsMore) return next ? "more" : "end";
      }
    },
    cancel() {
      isCancelled = true;
      close();
    },
  };
}
