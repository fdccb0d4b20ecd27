import type { ByteSource } from "@anyscheme/core/plugin";

const CR = 0x0d;
const LF = 0x0a;
const CR_BYTES = Uint8Array.of(CR);

/**
 * Converts the CR LF of TYPE A to LF. RFC 959 §3.1.1.1: "The sender converts the data from an internal character
 * representation to the standard 8-bit NVT-ASCII representation [...]. The receiver will convert the data from the
 * standard form to his own internal form." Any other CR or LF is unchanged.
 */
export function createCrlfToLfSource(source: ByteSource): ByteSource {
  // True while a CR at the end of a chunk waits for the next byte.
  let hasPendingCr = false;
  return {
    async readChunks(onChunk) {
      const state = await source.readChunks((bytes) => {
        if (bytes.length === 0) return true;
        const keepsCr = hasPendingCr && bytes[0] !== LF;
        hasPendingCr = bytes.at(-1) === CR;
        const text = removeCrBeforeLf(hasPendingCr ? bytes.subarray(0, -1) : bytes);
        const chunk = keepsCr ? Buffer.concat([CR_BYTES, text]) : text;
        return chunk.length === 0 || onChunk(chunk);
      });
      if (state === "end" && hasPendingCr) {
        hasPendingCr = false;
        onChunk(Uint8Array.of(CR));
      }
      return state;
    },
    cancel: () => source.cancel(),
  };
}

/** Removes the CR before each LF in place. */
function removeCrBeforeLf(bytes: Uint8Array): Uint8Array {
  let from = 0;
  let to = 0;
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) continue;
    bytes.copyWithin(to, from, at);
    to += at - from;
    from = at + 1;
  }
  bytes.copyWithin(to, from);
  return bytes.subarray(0, to + bytes.length - from);
}

/** Converts LF to the CR LF of TYPE A. An LF after a CR is unchanged. */
export async function* convertChunksToCrlf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let endsWithCr = false;
  for await (const chunk of chunks) {
    const parts: Uint8Array[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) {
      const followsCr = at === 0 ? endsWithCr : chunk[at - 1] === CR;
      if (followsCr) continue;
      parts.push(chunk.subarray(from, at), CR_BYTES);
      from = at;
    }
    parts.push(chunk.subarray(from));
    if (chunk.length > 0) endsWithCr = chunk.at(-1) === CR;
    yield Buffer.concat(parts);
  }
}
