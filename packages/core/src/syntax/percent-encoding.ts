import { type CharacterClass, escape, uchar } from "./characters.ts";

const allEscapes = new RegExp(escape, "g");
const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What `build` takes for a component: text, which becomes UTF-8, or bytes as they are. */
export type Decoded = string | Uint8Array;

/** RFC 1738 §2.2: a character triplet, "%" and two hexadecimal digits, for every byte. */
function escapeByte(byte: number): string {
  return `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`;
}

/** Whether a character is half a surrogate pair, which has no UTF-8. */
export function isLoneSurrogate(character: string): boolean {
  return /[\ud800-\udfff]/u.test(character);
}

/** The escapes of a character's UTF-8 bytes; half a surrogate pair counts as U+FFFD. */
export function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x80) return escapeByte(code);
  return encodeURIComponent(isLoneSurrogate(character) ? "\ufffd" : character);
}

/**
 * Writes bytes as a component: those whose character is in `allowed` stand for themselves, all others become escapes.
 * Text is taken as UTF-8. `percentDecode(encode(x))` gives the bytes back. RFC 1738 §2.2.
 */
export function percentEncode(value: Decoded, allowed: CharacterClass = uchar): string {
  if (typeof value === "string") return escapeDisallowed(value.replaceAll("%", "%25"), allowed);
  let text = "";
  for (const byte of value) {
    const character = String.fromCharCode(byte);
    text += byte < 0x80 && allowed.characters.includes(character) ? character : escapeByte(byte);
  }
  return text;
}

/**
 * Rewrites a component that departs from its class so that it conforms: escapes stay as written, every other character
 * outside the class becomes the escapes of its UTF-8 bytes. A conforming component comes back unchanged. RFC 1738 §2.2.
 */
export function escapeDisallowed(component: Decoded, allowed: CharacterClass): string {
  if (typeof component !== "string") return percentEncode(component, allowed);
  return component.replace(allowed.disallowed, escapeCharacter);
}

/** The bytes a component stands for. Characters beyond US-ASCII, which only tolerant mode lets in, give their UTF-8. RFC 1738 §2.2. */
export function percentDecode(component: string): Uint8Array {
  const text = component.replace(/[^\0-\x7f]/gu, escapeCharacter).replace(allEscapes, unescapeTriplet);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** The character whose code is the byte of an escape. */
function unescapeTriplet(triplet: string): string {
  return String.fromCharCode(parseInt(triplet.slice(1), 16));
}

/** The text a component stands for, its bytes read as UTF-8; a byte that is not UTF-8 becomes U+FFFD. RFC 1738 §2.2. */
export function percentDecodeText(component: string): string {
  return component.includes("%") ? utf8Decoder.decode(percentDecode(component)) : component;
}

/**
 * The same component with every escape in its one usual spelling: upper-case digits, and no escape for an unreserved
 * character. Escapes of reserved, unsafe and control bytes stay, because "encoding a character reserved for a particular
 * scheme may change the semantics of a URL" (RFC 1738 §2.2). `literal` has the characters that are written without an escape.
 */
export function normalizeEscapes(component: string, literal: string = uchar.characters): string {
  return component.replace(allEscapes, (triplet) => {
    const character = unescapeTriplet(triplet);
    return literal.includes(character) ? character : triplet.toUpperCase();
  });
}
