// The cache of files whose version the scheme knows before it reads them, as in ftp and file.
import { AccessError } from "../errors/access-error.ts";
import type { AccessContext, ByteSource } from "../scheme/context.ts";

/** The attributes by which the cache distinguishes two versions of a file. */
export interface FileVersionAttributes {
  /** The size of the file in bytes. */
  readonly size: number;
  readonly modified: Date;
  /**
   * A text that identifies the version of the file, together with size and modification time. Default: an empty text.
   */
  readonly identifier?: string | undefined;
}

/** A file whose body the cache has stored. */
export interface CachedFile {
  /** The size of the file in bytes. */
  readonly size: number;
  readonly modified: Date;
  /** Returns a source of the body. Resolves to `undefined` when the cache cannot read the body. */
  openBody(): Promise<ByteSource | undefined>;
}

/** The cache methods that a request for one file calls, as in the schemes ftp and file. */
export interface VersionCheckedFileCache {
  /**
   * Returns the stored file without a check of its version, for the modes `force-cache` and `only-if-cached`. Resolves
   * to `undefined` in all cache modes except these two.
   */
  findUnchecked(): Promise<CachedFile | undefined>;
  /**
   * Returns the stored body of the current version of the file. Resolves to `undefined` if the cache has no body of
   * this version, and in the mode `reload`.
   */
  openCurrent(version: FileVersionAttributes): Promise<ByteSource | undefined>;
  /**
   * Returns a source that stores the body while the caller reads it. At the end of the body, `isContentUnchanged`
   * returns false for a file that has changed meanwhile, and the file is not stored.
   */
  store(
    version: FileVersionAttributes,
    source: ByteSource,
    isContentUnchanged?: () => boolean,
  ): Promise<ByteSource>;
}

interface StoredFileData {
  readonly modifiedMs: number;
  readonly identifier: string;
}

/**
 * Creates the methods with which a request for one file uses the client's cache. Returns `undefined` without a cache,
 * and in the mode `no-store`.
 */
export function createVersionCheckedFileCache(
  { cache, trace }: Pick<AccessContext<unknown>, "cache" | "trace">,
  { key, partition }: { readonly key: string; readonly partition: string },
): VersionCheckedFileCache | undefined {
  if (!cache || cache.mode === "no-store") return undefined;
  const { mode } = cache;
  const toData = ({ modified, identifier = "" }: FileVersionAttributes): StoredFileData => ({
    modifiedMs: modified.getTime(),
    identifier,
  });
  return {
    async findUnchecked() {
      if (mode !== "force-cache" && mode !== "only-if-cached") return undefined;
      const [entry] = await cache.find(key, partition);
      const { modifiedMs } = (entry?.schemeData ?? {}) as Partial<StoredFileData>;
      if (!entry || modifiedMs === undefined) return undefined;
      trace({ action: "cache", text: "hit, the version of the file is not checked" });
      return { size: entry.size, modified: new Date(modifiedMs), openBody: () => entry.openBody() };
    },
    async openCurrent(version) {
      if (mode === "reload") return undefined;
      const [entry] = await cache.find(key, partition);
      const { modifiedMs, identifier } = toData(version);
      const stored = (entry?.schemeData ?? {}) as Partial<StoredFileData>;
      const isCurrent =
        entry?.size === version.size && stored.modifiedMs === modifiedMs && stored.identifier === identifier;
      const body = isCurrent ? await entry.openBody() : undefined;
      trace({ action: "cache", text: body ? "hit, the file has not changed" : "miss" });
      return body;
    },
    store: (version, source, isContentUnchanged) =>
      cache.store(
        { key, partition, schemeData: toData(version), size: version.size, isContentUnchanged },
        source,
      ),
  };
}

/** Creates the error of a request with `only-if-cached` that no stored response answers. */
export function createOnlyIfCachedError(): AccessError {
  return new AccessError("unavailable", "the cache has no stored response, and the request allows no other", {
    advice: "without only-if-cached, the client sends the request to the server",
  });
}
