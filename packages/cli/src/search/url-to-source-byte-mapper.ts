import { TextDecoder } from "node:util";

/** A range of bytes in a text. The byte at the offset `endExclusive` does not belong to the range. */
export interface ByteSpan {
  readonly start: number;
  readonly endExclusive: number;
}

const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const REPLACEMENT_CHARACTER = "\ufffd";

/**
 * Returns a function that maps a part of an extracted URL to its source bytes. The source bytes may also contain line
 * breaks, blanks, hyphens and the ">" of quoted mail, which the URL does not contain. The parameters `index` and
 * `length` of the function count UTF-16 units of the URL. A length of 0 maps to the end of the preceding character.
 */
export function createUrlToSourceByteMapper(
  bytes: Uint8Array,
  text: string,
): (index: number, length: number) => ByteSpan {
  // A US-ASCII source without line breaks has the same offsets as the URL.
  if (bytes.length === text.length) return (start, length) => ({ start, endExclusive: start + length });
  const spans = computeCharacterSpans(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), text);
  return (index, length) => {
    const before = spans[index - 1]?.endExclusive ?? 0;
    if (length === 0) return { start: before, endExclusive: before };
    return {
      start: spans[index]?.start ?? before,
      endExclusive: spans[index + length - 1]?.endExclusive ?? before,
    };
  };
}

function computeCharacterSpans(bytes: Buffer, text: string): ByteSpan[] {
  const spans: ByteSpan[] = [];
  let end = 0;
  for (const character of utf8Decoder.decode(bytes)) {
    // The decoder replaces invalid UTF-8 by one character, so the length of the invalid bytes is unknown. The
    // search for the next character begins one byte after the start of the invalid bytes.
    const start = character === REPLACEMENT_CHARACTER ? end : bytes.indexOf(character, end);
    end = start + (character === REPLACEMENT_CHARACTER ? 1 : Buffer.byteLength(character));
    if (!text.startsWith(character, spans.length)) continue;
    for (let unit = 0; unit < character.length; unit++) spans.push({ start, endExclusive: end });
  }
  return spans;
}
