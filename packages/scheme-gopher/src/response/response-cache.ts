// Reads Gopher responses from the client's cache, and stores responses in the cache. Gopher has no validators, so the
// time to live decides whether a stored response is used.
import { type AccessContext, type ByteSource, createOnlyIfCachedError } from "@anyscheme/core/plugin";
import { createPushbackSource, hashCredentials, type PushbackByteSource } from "@anyscheme/core/io";
import type { GopherRequestOptions } from "../scheme-options.ts";
import type { GopherPlan } from "../plan.ts";

/** The raw response to a Gopher request, from the server or from the cache. */
export interface RawGopherResponse {
  readonly reader: PushbackByteSource;
  /**
   * Stores in the cache the bytes of the response that have been read so far. Call `commit` only after the body of the
   * response has been read to its end.
   */
  readonly commit: (() => Promise<void>) | undefined;
}

interface StoredData {
  readonly storedAtMs: number;
}

/**
 * Returns the response to a planned Gopher request, from the cache or the server. A stored response is used until its
 * time to live has elapsed. Error messages of a server are not stored, because only a body that was read to its end is
 * committed. Throws `unavailable` for a request with `only-if-cached` that no stored response answers.
 */
export async function openCachedOrNewGopherResponse(
  { cacheKey }: GopherPlan,
  context: AccessContext,
  { cacheTtlMs = 0, cache: mode }: GopherRequestOptions & { readonly cache?: string | undefined },
  { ca, send }: { readonly ca: unknown; readonly send: () => Promise<PushbackByteSource> },
): Promise<RawGopherResponse> {
  const usedCache =
    cacheTtlMs > 0 && cacheKey !== undefined && mode !== "no-store" ? context.cache : undefined;
  if (!usedCache || cacheKey === undefined) {
    if (mode === "only-if-cached") throw createOnlyIfCachedError();
    return { reader: await send(), commit: undefined };
  }
  const partition = ca === undefined ? "" : hashCredentials(["gophers", ca]);
  // Without validators, the client cannot ask the server whether a stored response is current.
  const isRead = mode !== "reload" && mode !== "no-cache";
  const [entry] = isRead ? await usedCache.find(cacheKey, partition) : [];
  const ageMs = entry ? Date.now() - (entry.schemeData as StoredData).storedAtMs : Infinity;
  const acceptsStale = mode === "force-cache" || mode === "only-if-cached";
  const body =
    entry && (acceptsStale || (ageMs >= 0 && ageMs < cacheTtlMs)) ? await entry.openBody() : undefined;
  if (body) {
    context.trace({ action: "cache", text: `hit, age ${Math.floor(ageMs / 1_000)} s` });
    return { reader: createPushbackSource(body), commit: undefined };
  }
  context.trace({ action: "cache", text: "miss" });
  if (mode === "only-if-cached") throw createOnlyIfCachedError();
  const received = createReceivedSource(await send());
  const data: StoredData = { storedAtMs: Date.now() };
  const stored = await usedCache.store({ key: cacheKey, partition, schemeData: data }, received);
  return {
    reader: createPushbackSource(endWithServer(stored, received)),
    async commit() {
      received.finish();
      await stored.readChunks(() => true);
    },
  };
}

/** Returns a source that stores the response in the cache when the source ends. */
export function storeGopherResponseAtBodyEnd(
  source: ByteSource,
  commit: RawGopherResponse["commit"],
): ByteSource {
  if (!commit) return source;
  return {
    async readChunks(onChunk) {
      const state = await source.readChunks(onChunk);
      if (state === "end") await commit();
      return state;
    },
    cancel: () => source.cancel(),
  };
}

/** Yields the entries of a menu, and stores the response in the cache after the last entry. */
export async function* storeGopherResponseAtMenuEnd<E>(
  entries: AsyncIterable<E>,
  commit: NonNullable<RawGopherResponse["commit"]>,
): AsyncGenerator<E> {
  yield* entries;
  await commit();
}

interface ReceivedSource extends ByteSource {
  /** True after the Gopher server has closed the connection. */
  readonly hasEnded: boolean;
  /** Makes `readChunks` return "end", so that the cache stores the received Gopher response. */
  finish(): void;
}

/**
 * Returns the source from which the cache reads a Gopher response. The source ends only after `finish`, so that the
 * cache does not store an error message.
 */
function createReceivedSource(reader: ByteSource): ReceivedSource {
  let hasEnded = false;
  let isFinished = false;
  return {
    get hasEnded() {
      return hasEnded;
    },
    finish() {
      isFinished = true;
    },
    async readChunks(onChunk) {
      if (isFinished) return "end";
      hasEnded = (await reader.readChunks(onChunk)) === "end";
      return "more";
    },
    cancel: () => reader.cancel(),
  };
}

/**
 * Returns the bytes of `source`, which reads the Gopher response from `received`. The returned source ends when the
 * server has closed the connection.
 */
function endWithServer(source: ByteSource, received: ReceivedSource): ByteSource {
  return {
    async readChunks(onChunk) {
      for (let wantsMore = true; ;) {
        if (received.hasEnded) return "end";
        const state = await source.readChunks((bytes) => (wantsMore = onChunk(bytes)));
        if (state === "end" || !wantsMore) return state;
      }
    },
    cancel: () => source.cancel(),
  };
}
