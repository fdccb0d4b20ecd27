import type { CodeUnits } from "./code-units.ts";

/** The number of units after a bare URL that are searched for the rest of its host. */
const MAX_LOOKAHEAD = 256;
/** The minimum number of units that are searched. More units than one character has. */
const MIN_LOOKAHEAD = 16;

/** Matches a URL that ends within its authority: no "/", "?" or "#" follows the "//". */
const openAuthority = /^[^:]*:\/\/[^/?#]*$/;

/**
 * Matches the text after the first part of a host that was cut in two. The first part alone is a host that the text
 * does not name. The rest begins with undecodable bytes, a symbol, a mark without width, a dot of another script, or a
 * backslash. The rest of a name or login may also follow a blank.
 */
const continuations: readonly RegExp[] = [
  /^\ufffd/u,
  /^[\p{S}\p{Cf}\u00b7\u0375\u05f3\u05f4\u30fb]+[\p{L}\p{M}\p{N}.@:/-]/u,
  /^[\u3002\uff0e\uff61][A-Za-z0-9-]/u,
  /^\\[._-]/,
  /^[^\S\r\n]+(?:\.[\p{L}\p{N}-]+[./:]|@[\p{L}\p{N}])/u,
  /^[^\S\r\n]+(?!mailto:|news:|sips?:|xmpp:)[^\s/?#@<>"]*(?::[^\s/?#@<>"]*@[\p{L}\p{N}]|@[^\s/?#@<>"]+\/)/iu,
];
/**
 * Matches a dot of another script before a letter. After a US-ASCII name, such a dot ends the sentence. After other
 * letters, the dot separates labels.
 */
const foreignDot = /^[\u3002\uff0e\uff61][\p{L}\p{N}]/u;

/**
 * True when a bare URL that ends at `end` has only the beginning of a host. `undefined` when more text is needed to
 * decide.
 */
export function isHostSplitByLineEnd(
  units: CodeUnits,
  start: number,
  end: number,
  final: boolean,
): boolean | undefined {
  const next = units.at(end);
  if (end >= units.length || (next !== 0x20 && next !== 0x09 && next !== 0x5c && next < 0x80)) return false;
  const url = units.text(start, end);
  if (!openAuthority.test(url)) return false;
  const rest = units.text(end, Math.min(units.length, end + MAX_LOOKAHEAD));
  const available = units.length - end;
  const isKnown = /^\s/.test(rest)
    ? /^\s+\S+\s/.test(rest) || available >= MAX_LOOKAHEAD
    : available >= MIN_LOOKAHEAD;
  if (!final && !isKnown) return undefined;
  return (
    continuations.some((continuation) => continuation.test(rest)) ||
    (/[^\0-\x7f]$/.test(url) && foreignDot.test(rest))
  );
}

/** True when a URL in angle brackets has white space only around line breaks. Its lines then belong together. */
export function isFolded(written: string): boolean {
  return !/[^\s>][^\S\r\n]+[^\s>]/.test(written);
}

/** True when a URL ends within its authority. */
export function endsWithinAuthority(url: string): boolean {
  return openAuthority.test(url);
}
