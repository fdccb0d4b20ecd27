import { AccessError } from "../errors/access-error.ts";
import { createLimitError, type LimitValuesByName } from "../policy/limits.ts";
import type { ByteSource } from "../scheme/context.ts";

/** A byte source that ends without a byte. */
export const EMPTY_BYTE_SOURCE: ByteSource = {
  readChunks: () => Promise.resolve("end"),
  cancel: () => undefined,
};

/**
 * Returns a source with the same bytes, whose total number is limited. Reading throws an error with the code `limit`
 * when the bytes exceed the named limit.
 */
export function limitByteSource<Name extends string>(
  source: ByteSource,
  limits: LimitValuesByName<Name>,
  limitName: Name,
  reason: string,
): ByteSource {
  let received = 0;
  return {
    readChunks: (onChunk) =>
      source.readChunks((bytes) => {
        received += bytes.length;
        if (received > limits[limitName]) throw createLimitError(limitName, limits, reason);
        return onChunk(bytes);
      }),
    cancel: () => source.cancel(),
  };
}

/**
 * Returns a source of the first `size` bytes of a connection. Reading throws an error with the code `incomplete` when
 * the connection ends before `size` bytes.
 */
export function createFixedLengthSource(source: ByteSource, size: number): ByteSource {
  let left = size;
  return {
    async readChunks(onChunk) {
      if (left === 0) return "end";
      let wantsMore = true;
      const state = await source.readChunks((bytes) => {
        const chunk = bytes.subarray(0, left);
        left -= chunk.length;
        wantsMore = onChunk(chunk);
        return wantsMore && left > 0;
      });
      if (state === "end" && left > 0) {
        const reason = `the connection ended ${left} bytes before the end of ${size} announced bytes`;
        throw new AccessError("incomplete", reason);
      }
      return left === 0 && wantsMore ? "end" : "more";
    },
    cancel: () => source.cancel(),
  };
}

/** A byte source that accepts bytes back from its reader. */
export interface PushbackByteSource extends ByteSource {
  /** Puts bytes back in front of the unread bytes. */
  unread(bytes: Uint8Array): void;
}

/** Returns a source of the same bytes, into which the reader can put bytes back. */
export function createPushbackSource(source: ByteSource): PushbackByteSource {
  const unread: Uint8Array[] = [];
  return {
    unread(bytes) {
      if (bytes.length > 0) unread.unshift(bytes);
    },
    async readChunks(onChunk) {
      for (let bytes = unread.shift(); bytes; bytes = unread.shift()) if (!onChunk(bytes)) return "more";
      return source.readChunks(onChunk);
    },
    cancel: () => source.cancel(),
  };
}
