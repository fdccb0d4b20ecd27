import { TextDecoder } from "node:util";

/** The bytes from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const REPLACEMENT = "\ufffd";

/**
 * Leads from a URL's text back to the bytes that it was read from, which hold it with line breaks, blanks, marks of a
 * quotation and hyphens in between. `index` and `length` count UTF-16 units of the text, the span counts bytes. A length of 0
 * gives the place where something is missing: right behind what comes before it.
 */
export function mapToSource(bytes: Uint8Array, text: string): (index: number, length: number) => Span {
  // Nothing in between, and US-ASCII only.
  if (bytes.length === text.length) return (start, length) => ({ start, end: start + length });
  const spans = spansPerUnit(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), text);
  return (index, length) => {
    const before = spans[index - 1]?.end ?? 0;
    if (length === 0) return { start: before, end: before };
    return { start: spans[index]?.start ?? before, end: spans[index + length - 1]?.end ?? before };
  };
}

function spansPerUnit(bytes: Buffer, text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const character of decoder.decode(bytes)) {
    // Bytes that are no UTF-8 have no length of their own; the next character tells where they end.
    const start = character === REPLACEMENT ? end : bytes.indexOf(character, end);
    end = start + (character === REPLACEMENT ? 1 : Buffer.byteLength(character));
    if (!text.startsWith(character, spans.length)) continue;
    for (let unit = 0; unit < character.length; unit++) spans.push({ start, end });
  }
  return spans;
}
