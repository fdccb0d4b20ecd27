import type { ByteSource } from "../../src/scheme.ts";
import { sourceOf } from "../source.ts";

/** A source that takes octets back, as an inflow does; `rest` is what was put back and not read again. */
export interface PutBack extends ByteSource {
  unread(octets: Uint8Array): void;
  rest(): string;
}

/** Octets in these pieces. The memory of a piece is used again for the next. */
export function puttingBack(pieces: readonly Uint8Array[]): PutBack {
  const source = sourceOf(pieces);
  const held: Uint8Array[] = [];
  return {
    read(take) {
      for (let octets = held.shift(); octets; octets = held.shift()) {
        if (!take(octets)) return Promise.resolve("more");
      }
      return source.read(take);
    },
    unread(octets) {
      if (octets.length > 0) held.unshift(Buffer.from(octets));
    },
    rest: () => Buffer.concat(held).toString("latin1"),
    cancel: () => source.cancel(),
  };
}

/** A text of one character an octet, in these pieces. */
export function putBack(pieces: readonly string[]): PutBack {
  return puttingBack(pieces.map((piece) => Buffer.from(piece, "latin1")));
}
