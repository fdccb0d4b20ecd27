// The exports for programs that cache responses.
export type { CacheEntry, CacheEntryInit, CacheMode, CacheStore, CacheWriter } from "./cache-store.ts";
export { type CacheOptions, memoryCache } from "./memory-cache.ts";
export { type SqliteCache, sqliteCache } from "./sqlite-cache.ts";
