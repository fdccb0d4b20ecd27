import type { ByteSource } from "../../src/scheme/content.ts";
import { sourceOf } from "../source.ts";

/** A source that takes bytes back, as an inflow does; `rest` is what was put back and not read again. */
export interface PutBack extends ByteSource {
  unread(bytes: Uint8Array): void;
  rest(): string;
}

/** Bytes in these pieces. The memory of a piece is used again for the next. */
export function puttingBack(pieces: readonly Uint8Array[]): PutBack {
  const source = sourceOf(pieces);
  const held: Uint8Array[] = [];
  return {
    read(take) {
      for (let bytes = held.shift(); bytes; bytes = held.shift()) {
        if (!take(bytes)) return Promise.resolve("more");
      }
      return source.read(take);
    },
    unread(bytes) {
      if (bytes.length > 0) held.unshift(Buffer.from(bytes));
    },
    rest: () => Buffer.concat(held).toString("latin1"),
    cancel: () => source.cancel(),
  };
}

/** A text of one character a byte, in these pieces. */
export function putBack(pieces: readonly string[]): PutBack {
  return puttingBack(pieces.map((piece) => Buffer.from(piece, "latin1")));
}
