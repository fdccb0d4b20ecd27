import { ChunkList } from "../io/chunk-list.ts";
import type { ByteSource } from "../scheme/context.ts";
import type { CacheWriter } from "./cache-store.ts";

interface StoringOptions {
  /** The maximum size of the body in bytes. */
  readonly maxBytes: number;
  /** Returns false at the end of a body that must not be stored. */
  readonly isContentUnchanged?: (() => boolean) | undefined;
  /** Calls the cache store, and returns `undefined` if the call fails. */
  readonly call: <T>(use: () => T | Promise<T>) => Promise<T | undefined>;
  readonly hop: { trace(text: string): void };
}

/**
 * Returns a source that passes on the bytes of another source, and writes them to the cache. The end of the body
 * commits the cache entry. A failure of the cache, a cancelled body and a body that is too large abort the entry.
 */
export function createStoringSource(
  source: ByteSource,
  givenWriter: CacheWriter,
  { maxBytes, isContentUnchanged, call, hop }: StoringOptions,
): ByteSource {
  let writer: CacheWriter | undefined = givenWriter;
  let size = 0;

  async function abort(reason: string): Promise<void> {
    const aborted = writer;
    if (!aborted) return;
    writer = undefined;
    hop.trace(`not stored: ${reason}`);
    await call(() => aborted.abort());
  }

  async function writeChunks(chunks: readonly Uint8Array[]): Promise<void> {
    for (const chunk of chunks) {
      const current = writer;
      if (!current) return;
      const isWritten = await call(async () => {
        await current.write(chunk);
        return true;
      });
      if (!isWritten) await abort("the cache failed");
    }
  }

  return {
    async readChunks(onChunk) {
      const chunks = new ChunkList();
      let wantsMore = true;
      try {
        const state = await source.readChunks((bytes) => {
          size += bytes.length;
          // The cache needs a copy, because the receiver of the chunk may change its bytes.
          if (writer && size <= maxBytes) chunks.push(Uint8Array.from(bytes));
          wantsMore = onChunk(bytes);
          // Chunks are written to the cache before further chunks are read.
          return wantsMore && !writer;
        });
        if (size > maxBytes) await abort("the body is too large");
        await writeChunks(chunks.takeAll());
        if (state === "end" && isContentUnchanged?.() === false)
          await abort("the content changed during the transfer");
        const complete = writer;
        if (state === "end" && complete) {
          writer = undefined;
          const isStored = await call(async () => {
            await complete.commit();
            return true;
          });
          if (isStored) hop.trace(`stored, ${size} bytes`);
        }
        return state;
      } catch (error) {
        await abort("the body is incomplete");
        throw error;
      }
    },
    cancel() {
      source.cancel();
      // `abort` rejects when a trace listener throws, and nothing awaits `abort`.
      abort("the body was not read to its end").catch(() => undefined);
    },
  };
}
