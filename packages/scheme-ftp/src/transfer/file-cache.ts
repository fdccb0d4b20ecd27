import type { ByteSource } from "@anyscheme/core/plugin";
import type { FtpRequest } from "../session/session.ts";
import type { FileVersion } from "./retrieve.ts";

/** The cache of one binary file, for a version that the server has stated. */
export interface FileCache {
  /** Returns the stored body of the given version of the file. */
  open(): Promise<ByteSource | undefined>;
  /** Returns a source that stores the body while the caller reads it. */
  store(source: ByteSource): Promise<ByteSource>;
}

/**
 * Returns the cache of a file. Size and modification time identify the version of the file, as RFC 3659 §3 and §4
 * define them. Returns `undefined` without a cache, for a part of a file, and for a file without size or time.
 */
export function createFileCache(
  { context, credentials, plan, requestOptions }: FtpRequest,
  { size, modified }: FileVersion,
): FileCache | undefined {
  const { cache } = context;
  const partition = credentials.getSessionPoolKey();
  if (!cache || cache.mode === "no-store" || partition === undefined) return undefined;
  if (requestOptions.range || size === undefined || !modified) return undefined;
  const { url } = plan;
  const key = `ftp://${url.effectiveHost}:${url.effectivePort}/${[...url.cwd, url.name ?? ""].join("/")}`;
  const modifiedMs = modified.getTime();
  return {
    async open() {
      if (cache.mode === "reload") return undefined;
      const [entry] = await cache.find(key, partition);
      const isCurrent =
        entry?.size === size && (entry.data as { modifiedMs?: unknown }).modifiedMs === modifiedMs;
      const body = isCurrent ? await entry.openBody() : undefined;
      context.trace({ action: "cache", text: body ? "hit, size and time are those of the server" : "miss" });
      return body;
    },
    store: (source) => cache.store({ key, partition, data: { modifiedMs }, size }, source),
  };
}
