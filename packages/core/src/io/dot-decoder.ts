import { AccessError } from "../errors/access-error.ts";
import type { ByteSource } from "../scheme/context.ts";
import type { SocketReader } from "./socket-reader.ts";

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;
const LONE_CR: Uint8Array = Uint8Array.of(CR);

type DotDecoderState = "within a line" | "after CR" | "line start" | "after dot" | "after dot CR";

/**
 * Decodes a multi-line data block from chunks of any size (RFC 3977 §3.1.1). The sender doubles a dot at the beginning
 * of a line, and ends the block with a line that consists of one dot. Only CR LF ends a line of the block, not a bare
 * LF.
 */
export class DotDecoder {
  #state: DotDecoderState = "line start";
  #rest: number | undefined;

  /** The offset at which the block ended, in the bytes of the last `push`; `undefined` before the end. */
  get blockEndOffset(): number | undefined {
    return this.#rest;
  }

  /**
   * Removes the doubled dots and the final line from the next bytes of the multi-line data block. Returns the decoded
   * bytes as a view of the input, or as a copy.
   */
  push(bytes: Uint8Array): Uint8Array {
    const text: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    while (at < bytes.length && this.#rest === undefined) {
      const byte = bytes[at];
      if (this.#state === "within a line") {
        at = this.#toLineStart(bytes, at);
      } else if (this.#state === "after CR") {
        this.#state = byte === LF ? "line start" : "within a line";
        if (byte === LF) at++;
      } else if (this.#state === "line start" && byte === DOT) {
        if (at > from) text.push(bytes.subarray(from, at));
        from = ++at;
        this.#state = "after dot";
      } else if (this.#state === "after dot" && byte === CR) {
        from = ++at;
        this.#state = "after dot CR";
      } else if (this.#state === "after dot CR") {
        if (byte === LF) this.#rest = at + 1;
        else text.push(LONE_CR);
        this.#state = "within a line";
      } else {
        this.#state = "within a line";
      }
    }
    if (this.#rest === undefined && from < bytes.length) text.push(bytes.subarray(from));
    const [first = LONE_CR.subarray(1)] = text;
    return text.length < 2 ? first : Buffer.concat(text);
  }

  /** Returns the offset of the next line that begins with a dot, or the length of the bytes. */
  #toLineStart(bytes: Uint8Array, at: number): number {
    const { buffer, byteOffset, length } = bytes;
    const found = Buffer.from(buffer, byteOffset, length).indexOf("\r\n.", at, "latin1");
    if (found >= 0) {
      this.#state = "line start";
      return found + 2;
    }
    const last = bytes[length - 1];
    if (last === CR) this.#state = "after CR";
    else if (last === LF && length - at > 1 && bytes[length - 2] === CR) this.#state = "line start";
    return length;
  }
}

/**
 * Returns a byte source of the decoded body of a multi-line data block. The bytes after the final line of the block
 * stay in the reader. Reading fails with `incomplete` when the connection ends before the final line. RFC 3977 §3.1.1.
 */
export function decodeDotStuffedSource(
  reader: Pick<SocketReader, "readChunks" | "unread" | "cancel">,
): ByteSource {
  const decoder = new DotDecoder();
  let hasEnded = false;
  return {
    async readChunks(onChunk) {
      if (hasEnded) return "end";
      let wantsMore = true;
      const state = await reader.readChunks((bytes) => {
        const text = decoder.push(bytes);
        if (decoder.blockEndOffset !== undefined) reader.unread(bytes.subarray(decoder.blockEndOffset));
        if (text.length > 0) wantsMore = onChunk(text);
        return wantsMore && decoder.blockEndOffset === undefined;
      });
      hasEnded = decoder.blockEndOffset !== undefined;
      if (hasEnded && wantsMore) return "end";
      if (state === "end" && !hasEnded)
        throw new AccessError("incomplete", "the connection ended before the final line with a single dot");
      return "more";
    },
    cancel: () => reader.cancel(),
  };
}
