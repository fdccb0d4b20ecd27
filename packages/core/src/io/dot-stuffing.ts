import { AccessError } from "../errors/access-error.ts";
import type { ByteSource } from "../scheme/content.ts";
import type { SocketReader } from "./socket-reader.ts";

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;
const LONE_CR: Uint8Array = Uint8Array.of(CR);

/** What came last: nothing of note, a CR, a CR LF, a dot behind that, or a dot and a CR. */
type Place = "within a line" | "after CR" | "line start" | "after dot" | "after dot CR";

/**
 * Takes a multi-line data block apart, whatever the pieces it arrives in. RFC 3977 §3.1.1: "If any line of the data block
 * begins with the termination byte", a dot, it is doubled by the sender; the block ends with a line of one dot. Only CR LF ends
 * a line: by a bare LF before the dot, or behind it, one text could be read in two ways.
 */
export class DotDecoder {
  #place: Place = "line start";
  #rest: number | undefined;

  /** After the end: how many bytes of the piece pushed last belong to the block. Until then `undefined`. */
  get rest(): number | undefined {
    return this.#rest;
  }

  /** What of the text these bytes complete: a view of them, or a copy where a dot was taken out. */
  push(bytes: Uint8Array): Uint8Array {
    const text: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    while (at < bytes.length && this.#rest === undefined) {
      const byte = bytes[at];
      if (this.#place === "within a line") {
        at = this.#toLineStart(bytes, at);
      } else if (this.#place === "after CR") {
        this.#place = byte === LF ? "line start" : "within a line";
        if (byte === LF) at++;
      } else if (this.#place === "line start" && byte === DOT) {
        if (at > from) text.push(bytes.subarray(from, at));
        from = ++at;
        this.#place = "after dot";
      } else if (this.#place === "after dot" && byte === CR) {
        from = ++at;
        this.#place = "after dot CR";
      } else if (this.#place === "after dot CR") {
        if (byte === LF) this.#rest = at + 1;
        else text.push(LONE_CR);
        this.#place = "within a line";
      } else {
        this.#place = "within a line";
      }
    }
    if (this.#rest === undefined && from < bytes.length) text.push(bytes.subarray(from));
    const [first = LONE_CR.subarray(1)] = text;
    return text.length < 2 ? first : Buffer.concat(text);
  }

  /** Goes on to the next line that begins with a dot, or to the end of the bytes; returns where that is. */
  #toLineStart(bytes: Uint8Array, at: number): number {
    const { buffer, byteOffset, length } = bytes;
    const found = Buffer.from(buffer, byteOffset, length).indexOf("\r\n.", at, "latin1");
    if (found >= 0) {
      this.#place = "line start";
      return found + 2;
    }
    const last = bytes[length - 1];
    if (last === CR) this.#place = "after CR";
    else if (last === LF && length - at > 1 && bytes[length - 2] === CR) this.#place = "line start";
    return length;
  }
}

/**
 * A multi-line data block as a body: it ends with its line of one dot and leaves what follows to be read, and fails with
 * `incomplete` when the connection ends before. RFC 3977 §3.1.1.
 */
export function dotStuffedBody(inflow: Pick<SocketReader, "read" | "unread" | "cancel">): ByteSource {
  const decoder = new DotDecoder();
  let ended = false;
  return {
    async read(take) {
      if (ended) return "end";
      let more = true;
      const state = await inflow.read((bytes) => {
        const text = decoder.push(bytes);
        if (decoder.rest !== undefined) inflow.unread(bytes.subarray(decoder.rest));
        if (text.length > 0) more = take(text);
        return more && decoder.rest === undefined;
      });
      ended = decoder.rest !== undefined;
      if (ended && more) return "end";
      if (state === "end" && !ended)
        throw new AccessError("incomplete", "the connection ended before the line of one dot");
      return "more";
    },
    cancel: () => inflow.cancel(),
  };
}
