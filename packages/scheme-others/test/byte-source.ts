import type { ByteSource } from "@anyscheme/core/plugin";

/**
 * Creates a byte source from strings with one character per byte. Overwrites each chunk after `onChunk` has returned.
 */
export function createByteSourceFromLatin1(pieces: readonly string[]): ByteSource {
  const left = pieces.map((piece) => Buffer.from(piece, "latin1"));
  return {
    readChunks(take) {
      for (let piece = left.shift(); piece; piece = left.shift()) {
        const more = piece.length === 0 || take(piece);
        piece.fill(0x21);
        if (!more) return Promise.resolve("more");
      }
      return Promise.resolve("end");
    },
    cancel: () => undefined,
  };
}
