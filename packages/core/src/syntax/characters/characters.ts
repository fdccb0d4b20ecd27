// The character classes of RFC 1738 §5, composed as in the BNF.

const lowalpha = "abcdefghijklmnopqrstuvwxyz";
const hialpha = lowalpha.toUpperCase();
const alpha = lowalpha + hialpha;
const digit = "0123456789";
const safeCharacters = "$-_.+";
const extraCharacters = "!*'(),";
const unreserved: string = alpha + digit + safeCharacters + extraCharacters;
const reserved = ";/?:@&=";

/**
 * RFC 1738 §5 `national`: unsafe because "gateways and other transport agents are known to sometimes modify such
 * characters" (§2.2).
 */
export const nationalCharacters = "{}|\\^~[]`";

/** `escape = "%" hex hex` as the source of a regular expression. */
export const percentEscapeRegExpSource: string = "%[0-9A-Fa-f]{2}";

/** The characters that a component of a URL may contain without an escape. */
export interface AllowedCharacters {
  /** Matches a character outside the class, or a "%" that begins no escape. */
  readonly disallowed: RegExp;
}

/**
 * A set of characters that a component may contain without an escape. A byte outside the class has to be
 * percent-encoded. `uchar` and the classes derived from it also contain every well-formed escape (see
 * `skipAllowedCharacters`).
 */
export interface CharacterClass extends AllowedCharacters {
  readonly characters: string;
  /** `*[ character | escape ]` as the source of a regular expression. */
  readonly source: string;
}

/** Creates a class from its characters, which must include the letters and digits of escapes. RFC 1738 §5. */
export function createCharacterClass(characters: string): CharacterClass {
  const listed = characters.replace(/[\\\]^-]/g, "\\$&");
  const run = `[${listed}]*`;
  return {
    characters,
    // The expression loops over runs and escapes, not over single characters.
    source: `${run}(?:${percentEscapeRegExpSource}${run})*`,
    disallowed: new RegExp(`[^%${listed}]|(?!${percentEscapeRegExpSource})%`, "gu"),
  };
}

/** `uchar = unreserved | escape` */
export const uchar: CharacterClass = createCharacterClass(unreserved);

/** `xchar = unreserved | reserved | escape` */
export const xchar: CharacterClass = createCharacterClass(unreserved + reserved);

/** Creates the class of `uchar` and some reserved characters, `*[ uchar | … ]` in §5. */
export function extendUchar(some: string): CharacterClass {
  return createCharacterClass(unreserved + some);
}

/**
 * Returns the index of the first disallowed character in text[start, end), or `end`. Well-formed percent-escapes are
 * allowed. The time is linear in the length of the run of allowed characters.
 */
export function skipAllowedCharacters(
  text: string,
  start: number,
  end: number,
  { disallowed }: AllowedCharacters,
): number {
  const index = text.slice(start, end).search(disallowed);
  return index < 0 ? end : start + index;
}

const WHITE_SPACE_CHARACTERS = "\t\n\f\r ";

/** Removes the white space around a text that was typed or copied. The time is linear in the length of the text. */
export function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  // Most texts have no white space at their start and end, and are returned without a search for white space.
  if (text.charCodeAt(0) > 0x20 && text.charCodeAt(end - 1) > 0x20) return text;
  while (start < end && WHITE_SPACE_CHARACTERS.includes(text.charAt(start))) start++;
  while (end > start && WHITE_SPACE_CHARACTERS.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
