import { ChunkList } from "../io/chunk-list.ts";
import { checkOptions } from "../options/check-options.ts";
import { type OptionTable, booleanOptionKind, createIntegerOptionKind } from "../options/option-kinds.ts";
import {
  type CacheEntry,
  type CacheEntryInit,
  type CacheStore,
  type CacheWriter,
  ENTRY_OVERHEAD_BYTES,
  MAX_ENTRIES_PER_KEY,
} from "./cache-store.ts";

/** The options of `memoryCache` and `sqliteCache`. */
export interface CacheOptions {
  /**
   * The maximum total size of bodies and metadata, in bytes. Each entry counts as 256 bytes more than its body and
   * metadata. Default 64 MiB for `memoryCache`, 256 MiB for `sqliteCache`.
   */
  readonly maxBytes?: number | undefined;
  /** The maximum size of one body, in bytes. Default: an eighth of the cache's `maxBytes`. */
  readonly maxEntryBytes?: number | undefined;
  /**
   * True when clients with this cache serve several users, as a gateway does. A shared cache stores no response that is
   * private to one user. Default false. RFC 9111 §3.
   */
  readonly shared?: boolean | undefined;
}

export const CACHE_OPTION_KINDS: OptionTable<CacheOptions> = {
  maxBytes: createIntegerOptionKind(1),
  maxEntryBytes: createIntegerOptionKind(1),
  shared: booleanOptionKind,
};

const DEFAULT_MAX_BYTES = 67_108_864;

/** Returns the maximum size of one body. */
export function getMaxEntryBytes({ maxEntryBytes }: CacheOptions, maxBytes: number): number {
  return Math.min(maxEntryBytes ?? maxBytes / 8, maxBytes);
}

interface MemoryEntry extends CacheEntryInit {
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
}

/**
 * Returns a cache in memory, for the client option `cache`. The cache deletes the least recently used entries when
 * bodies and metadata exceed `maxBytes`. Throws `TypeError` for an invalid option.
 */
export function memoryCache(options: CacheOptions = {}): CacheStore {
  checkOptions("memoryCache", options, CACHE_OPTION_KINDS);
  const { maxBytes = DEFAULT_MAX_BYTES } = options;
  /** The cache entries by key and variant. The first key of the map is the least recently used key. */
  const entriesByKey = new Map<string, Map<string, MemoryEntry>>();
  let usedBytes = 0;

  function remove(key: string, variant: string): void {
    const entries = entriesByKey.get(key);
    const entry = entries?.get(variant);
    if (!entries || !entry) return;
    usedBytes -= sizeOf(entry);
    entries.delete(variant);
    if (entries.size === 0) entriesByKey.delete(key);
  }

  function add(entry: MemoryEntry): void {
    const { key, variant } = entry;
    remove(key, variant);
    const entries = entriesByKey.get(key) ?? new Map<string, MemoryEntry>();
    entries.set(variant, entry);
    usedBytes += sizeOf(entry);
    markUsed(key, entries);
    const [oldest] = entries.keys();
    if (entries.size > MAX_ENTRIES_PER_KEY && oldest !== undefined) remove(key, oldest);
    for (const [leastUsed, variants] of entriesByKey) {
      for (const each of variants.keys()) if (usedBytes > maxBytes) remove(leastUsed, each);
      if (usedBytes <= maxBytes) break;
    }
  }

  function markUsed(key: string, entries: Map<string, MemoryEntry>): void {
    entriesByKey.delete(key);
    entriesByKey.set(key, entries);
  }

  return {
    maxEntryBytes: getMaxEntryBytes(options, maxBytes),
    isShared: options.shared,
    find(key) {
      const entries = entriesByKey.get(key);
      if (!entries) return [];
      markUsed(key, entries);
      return [...entries.values()].toReversed().map(toCacheEntry);
    },
    createWriter: (init) => createMemoryWriter(init, add),
    updateMetadata({ key, variant, metadata }) {
      const entry = entriesByKey.get(key)?.get(variant);
      if (entry) add({ ...entry, metadata });
    },
    delete(key, variant) {
      const variants = variant === undefined ? [...(entriesByKey.get(key)?.keys() ?? [])] : [variant];
      for (const each of variants) remove(key, each);
    },
  };
}

function createMemoryWriter(init: CacheEntryInit, add: (entry: MemoryEntry) => void): CacheWriter {
  const chunks = new ChunkList();
  return {
    write: (bytes) => chunks.push(Uint8Array.from(bytes)),
    commit() {
      const size = chunks.byteLength;
      add({ ...init, chunks: chunks.takeAll(), size });
    },
    abort: () => void chunks.takeAll(),
  };
}

function toCacheEntry({ key, variant, metadata, size, chunks }: MemoryEntry): CacheEntry {
  return { key, variant, metadata, size, readBody: () => chunks.map((each) => Uint8Array.from(each)) };
}

/** Returns the memory that a cache entry uses, in bytes. A UTF-16 unit of a string uses at most two bytes of memory. */
function sizeOf({ key, variant, metadata, size }: MemoryEntry): number {
  return size + 2 * (key.length + variant.length + metadata.length) + ENTRY_OVERHEAD_BYTES;
}
