import { type CharacterClass, endOfRun, hexValue, uchar } from "./octets.ts";

const utf8 = new TextEncoder();
const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What `build` takes for a component: text, which becomes UTF-8, or octets as they are. */
export type Decoded = string | Uint8Array;

/** RFC 1738 §2.2: a character triplet, "%" and two hexadecimal digits, for every octet. */
const escapes: readonly string[] = Array.from(
  { length: 256 },
  (_, octet) => `%${octet < 16 ? "0" : ""}${octet.toString(16).toUpperCase()}`,
);

/** The escapes of a character's UTF-8 octets; half a surrogate pair counts as U+FFFD. */
export function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return escapes[point] ?? "";
  return point >= 0xd800 && point <= 0xdfff ? "%EF%BF%BD" : encodeURIComponent(character);
}

/**
 * Writes octets as a component: those whose character is in `allowed` stand for themselves, all others become escapes.
 * Text is taken as UTF-8. `decodeOctets(encode(x))` gives the octets back. RFC 1738 §2.2.
 */
export function encode(value: Decoded, allowed: CharacterClass = uchar): string {
  let text = "";
  if (typeof value === "string") {
    for (const character of value)
      text += allowed.characters.includes(character) ? character : escapeCharacter(character);
    return text;
  }
  for (const octet of value) {
    const character = String.fromCharCode(octet);
    text += octet < 0x80 && allowed.characters.includes(character) ? character : escapes[octet];
  }
  return text;
}

/**
 * Rewrites a component that departs from its class so that it conforms: escapes stay as written, every other character
 * outside the class becomes the escapes of its UTF-8 octets. A conforming component comes back unchanged. RFC 1738 §2.2.
 */
export function conform(component: Decoded, allowed: CharacterClass): string {
  if (typeof component !== "string") return encode(component, allowed);
  let written = "";
  let index = 0;
  while (index < component.length) {
    const end = endOfRun(component, index, component.length, allowed);
    written += component.slice(index, end);
    if (end === component.length) break;
    const character = String.fromCodePoint(component.codePointAt(end) ?? 0);
    written += escapeCharacter(character);
    index = end + character.length;
  }
  return written;
}

/** The octets a component stands for. Characters beyond US-ASCII, which only tolerant mode lets in, give their UTF-8. RFC 1738 §2.2. */
export function decodeOctets(component: string): Uint8Array {
  const source = utf8.encode(component);
  const octets = new Uint8Array(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index++) {
    const octet = source[index] ?? 0;
    const high = octet === 0x25 ? hexValue(source[index + 1] ?? 0) : -1;
    const low = high < 0 ? -1 : hexValue(source[index + 2] ?? 0);
    if (low >= 0) index += 2;
    octets[length++] = low >= 0 ? high * 16 + low : octet;
  }
  return octets.subarray(0, length);
}

/** The text a component stands for, its octets read as UTF-8; an octet that is not UTF-8 becomes U+FFFD. RFC 1738 §2.2. */
export function decodeText(component: string): string {
  return component.includes("%") ? utf8Decoder.decode(decodeOctets(component)) : component;
}

/**
 * The same component with every escape in its one usual spelling: upper-case digits, and no escape for an unreserved
 * character. Escapes of reserved, unsafe and control octets stay, because "encoding a character reserved for a particular
 * scheme may change the semantics of a URL" (RFC 1738 §2.2).
 */
export function normalizeEscapes(component: string): string {
  if (!component.includes("%")) return component;
  return component.replace(/%[0-9A-Fa-f]{2}/g, (triplet) => {
    const character = String.fromCharCode(parseInt(triplet.slice(1), 16));
    return uchar.characters.includes(character) ? character : triplet.toUpperCase();
  });
}
