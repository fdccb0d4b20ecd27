import { type CharacterClass, percentEscapeRegExpSource, uchar } from "./characters.ts";

const allEscapesPattern = new RegExp(percentEscapeRegExpSource, "g");
const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A component for `build`: bytes, or text that is encoded as UTF-8. */
export type TextOrBytes = string | Uint8Array;

/** Returns the escape of a byte: "%" and two hexadecimal digits. RFC 1738 §2.2. */
function escapeByte(byte: number): string {
  return `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`;
}

/** True for half a surrogate pair, which has no UTF-8 form. */
export function isLoneSurrogate(character: string): boolean {
  return /[\ud800-\udfff]/u.test(character);
}

/** Returns the escapes of a character's UTF-8 bytes. Half a surrogate pair counts as U+FFFD. */
export function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x80) return escapeByte(code);
  return encodeURIComponent(isLoneSurrogate(character) ? "\ufffd" : character);
}

/**
 * Percent-encodes bytes as a component. Bytes whose character is in `allowed` are not escaped. Text is encoded as
 * UTF-8. `percentDecode` is the inverse of `percentEncode`. RFC 1738 §2.2.
 */
export function percentEncode(value: TextOrBytes, allowed: CharacterClass = uchar): string {
  if (typeof value === "string") return escapeDisallowed(value.replaceAll("%", "%25"), allowed);
  let text = "";
  for (const byte of value) {
    const character = String.fromCharCode(byte);
    text += byte < 0x80 && allowed.characters.includes(character) ? character : escapeByte(byte);
  }
  return text;
}

/**
 * Escapes the characters of a component that are outside its class, as UTF-8 bytes. Existing escapes in a text
 * stay unchanged. RFC 1738 §2.2.
 */
export function escapeDisallowed(component: TextOrBytes, allowed: CharacterClass): string {
  if (typeof component !== "string") return percentEncode(component, allowed);
  return component.replace(allowed.disallowed, escapeCharacter);
}

/**
 * Decodes a percent-encoded component of a URL to bytes. Non-ASCII characters become UTF-8. Only modern mode accepts
 * characters outside the class of a component. RFC 1738 §2.2.
 */
export function percentDecode(component: string): Uint8Array {
  const text = component.replace(/[^\0-\x7f]/gu, escapeCharacter).replace(allEscapesPattern, unescapeTriplet);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** Returns the character whose code is the byte of an escape. */
function unescapeTriplet(triplet: string): string {
  return String.fromCharCode(parseInt(triplet.slice(1), 16));
}

/** Decodes a percent-encoded component of a URL to text, as UTF-8. Invalid UTF-8 becomes U+FFFD. RFC 1738 §2.2. */
export function percentDecodeText(component: string): string {
  return component.includes("%") ? utf8Decoder.decode(percentDecode(component)) : component;
}

/**
 * Normalizes the escapes of a component: upper-case digits, and no escapes of unreserved characters. Escapes of
 * reserved, unsafe and control bytes stay, because "encoding a character reserved for a particular scheme may change
 * the semantics of a URL" (RFC 1738 §2.2). `literal` is the set of characters that are written without an escape.
 */
export function normalizeEscapes(component: string, literal: string = uchar.characters): string {
  return component.replace(allEscapesPattern, (triplet) => {
    const character = unescapeTriplet(triplet);
    return literal.includes(character) ? character : triplet.toUpperCase();
  });
}
