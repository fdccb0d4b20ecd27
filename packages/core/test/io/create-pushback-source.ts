import type { PushbackByteSource } from "../../src/io/byte-source-wrappers.ts";
import { createRecordingByteSource } from "../recording-byte-source.ts";

/** A source with a method that returns the bytes that the reader put back and did not read again. */
export interface PushbackSource extends PushbackByteSource {
  getUnreadText(): string;
}

/** Creates a source of the given pieces. The reader receives a copy of each piece. */
export function createPushbackSource(pieces: readonly Uint8Array[]): PushbackSource {
  const source = createRecordingByteSource(pieces);
  const held: Uint8Array[] = [];
  return {
    readChunks(take) {
      for (let bytes = held.shift(); bytes; bytes = held.shift()) {
        if (!take(bytes)) return Promise.resolve("more");
      }
      return source.readChunks(take);
    },
    unread(bytes) {
      if (bytes.length > 0) held.unshift(Buffer.from(bytes));
    },
    getUnreadText: () => Buffer.concat(held).toString("latin1"),
    cancel: () => source.cancel(),
  };
}

/** Creates a source of a text in the given pieces, one character per byte. */
export function createPushbackSourceFromLatin1(pieces: readonly string[]): PushbackSource {
  return createPushbackSource(pieces.map((piece) => Buffer.from(piece, "latin1")));
}
