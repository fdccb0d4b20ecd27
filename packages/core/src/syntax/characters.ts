// The character classes of RFC 1738 §5, composed as in the BNF.

const lowalpha = "abcdefghijklmnopqrstuvwxyz";
const hialpha = lowalpha.toUpperCase();
const alpha = lowalpha + hialpha;
const digit = "0123456789";
const safe = "$-_.+";
const extra = "!*'(),";
const unreserved: string = alpha + digit + safe + extra;
const reserved = ";/?:@&=";

/** RFC 1738 §5 `national`: unsafe because "gateways and other transport agents are known to sometimes modify such characters" (§2.2). */
export const national = "{}|\\^~[]`";

/** `escape = "%" hex hex` as the source of a regular expression. */
export const escape: string = "%[0-9A-Fa-f]{2}";

/** What may stand in a component. */
export interface Characters {
  /** Matches what may not: a character outside, or a "%" that begins no escape. */
  readonly disallowed: RegExp;
}

/**
 * A set of characters that stand for themselves in some component; any other byte has to be written as an escape.
 * `uchar` and the classes made from it also contain every well-formed escape (see `endOfRun`).
 */
export interface CharacterClass extends Characters {
  readonly characters: string;
  /** `*[ character | escape ]` as the source of a regular expression. */
  readonly source: string;
}

/** Makes a class from its characters, among which are the letters and digits that escapes consist of. RFC 1738 §5. */
export function characterClass(characters: string): CharacterClass {
  const listed = characters.replace(/[\\\]^-]/g, "\\$&");
  const run = `[${listed}]*`;
  return {
    characters,
    // Unrolled: a loop over runs and escapes instead of one over characters.
    source: `${run}(?:${escape}${run})*`,
    disallowed: new RegExp(`[^%${listed}]|(?!${escape})%`, "gu"),
  };
}

/** `uchar = unreserved | escape` */
export const uchar: CharacterClass = characterClass(unreserved);

/** `xchar = unreserved | reserved | escape` */
export const xchar: CharacterClass = characterClass(unreserved + reserved);

/** `*[ uchar | … ]`: `uchar` and some of the reserved characters, as most productions of §5 have it. */
export function ucharPlus(some: string): CharacterClass {
  return characterClass(unreserved + some);
}

/**
 * The index of the first character in text[start, end) that is neither in the class nor part of a well-formed escape; `end`
 * when there is none. Linear in the length of the run.
 */
export function endOfRun(
  text: string,
  start: number,
  end: number,
  { disallowed: strays }: Characters,
): number {
  const index = text.slice(start, end).search(strays);
  return index < 0 ? end : start + index;
}
