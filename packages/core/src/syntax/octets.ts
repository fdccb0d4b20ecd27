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
const escape = "%[0-9A-Fa-f]{2}";

/**
 * A set of characters that stand for themselves in some component; any other octet has to be written as an escape.
 * `uchar` and the classes made from it also contain every well-formed escape (see {@link endOfRun}).
 */
export interface CharacterClass {
  readonly characters: string;
  /** `*[ character | escape ]` as the source of a regular expression. */
  readonly source: string;
  /** Sticky: matches the longest run of literal characters at `lastIndex`. */
  readonly run: RegExp;
}

/** Makes a class from its characters. RFC 1738 §5. */
export function characterClass(characters: string): CharacterClass {
  const run = `[${characters.replace(/[\\\]^-]/g, "\\$&")}]*`;
  // Unrolled: a loop over runs and escapes instead of one over characters.
  return { characters, source: `${run}(?:${escape}${run})*`, run: new RegExp(run, "y") };
}

/** `uchar = unreserved | escape` */
export const uchar: CharacterClass = characterClass(unreserved);

/** `xchar = unreserved | reserved | escape` */
export const xchar: CharacterClass = characterClass(unreserved + reserved);

/** `*[ uchar | … ]`: `uchar` and some of the reserved characters, as most productions of §5 have it. */
export function ucharAnd(some: string): CharacterClass {
  return characterClass(unreserved + some);
}

/** The value of a hexadecimal digit's character code, or -1. RFC 1738 §2.2 allows both cases. */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Whether `escape = "%" hex hex` stands at `index`. */
export function isEscape(text: string, index: number): boolean {
  return (
    text.charCodeAt(index) === 0x25 &&
    hexValue(text.charCodeAt(index + 1)) >= 0 &&
    hexValue(text.charCodeAt(index + 2)) >= 0
  );
}

/**
 * The index of the first character at or after `start` that is neither in the class nor part of a well-formed escape;
 * `end` when there is none. Linear in the length of the run.
 */
export function endOfRun(text: string, start: number, end: number, allowed: CharacterClass): number {
  const { run } = allowed;
  let index = start;
  for (;;) {
    run.lastIndex = index;
    run.test(text);
    index = run.lastIndex;
    if (index >= end) return end;
    if (index + 2 >= end || !isEscape(text, index)) return index;
    index += 3;
  }
}
