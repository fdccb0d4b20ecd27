import { TextDecoder } from "node:util";

/** Matches `=?charset?encoding?encoded-text?=` (RFC 2047 §2), also with a language after the charset (RFC 2231 §5). */
const ENCODED_WORD = /=\?([^\s?*]+)(?:\*[^\s?]*)?\?([bq])\?([^\s?]*)\?=/gi;

/**
 * Decodes the encoded words of a header field, such as `=?utf-8?Q?caf=C3=A9?=` (RFC 2047). An encoded word with an
 * unknown charset stays as it is. The text with its encoded words decoded is for display, and may contain control characters.
 */
export function decodeEncodedWords(text: string): string {
  let result = "";
  let end = 0;
  let decoder: TextDecoder | undefined;
  for (const match of text.matchAll(ENCODED_WORD)) {
    const [word, charset = "", encoding = "", encoded = ""] = match;
    const next = tryCreateDecoder(charset);
    if (!next) continue;
    const gap = text.slice(end, match.index);
    // White space between two encoded words is not part of the text (RFC 2047 §6.2).
    const isAdjacent = decoder !== undefined && gap.trim() === "";
    // Many programs divide a character of several bytes between two words of one charset.
    const continued = isAdjacent && decoder?.encoding === next.encoding ? decoder : undefined;
    if (!continued) result += decoder?.decode() ?? "";
    if (!isAdjacent) result += gap;
    decoder = continued ?? next;
    result += decoder.decode(decodeEncodedText(encoding, encoded), { stream: true });
    end = match.index + word.length;
  }
  return result + (decoder?.decode() ?? "") + text.slice(end);
}

/** Creates a decoder. Returns `undefined` for an unknown charset. */
function tryCreateDecoder(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

/** Returns the bytes of the encoding `B`, which is base64, or `Q`, in which `_` is a blank and `=E9` is a byte. */
function decodeEncodedText(encoding: string, text: string): Uint8Array {
  if (encoding.toLowerCase() === "b") return Buffer.from(text, "base64");
  const decoded = text
    .replaceAll("_", " ")
    .replace(/=([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(decoded, "latin1");
}
