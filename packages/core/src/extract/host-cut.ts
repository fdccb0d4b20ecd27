import type { CodeUnits } from "./code-units.ts";

/** As many units behind a bare URL are looked at, to see whether its host goes on there. */
const MAX_LOOKAHEAD = 256;
/** More than one character, whatever the units are. */
const MIN_LOOKAHEAD = 16;

/** An authority that nothing ends before the URL is cut: behind the scheme and "//", no "/", "?" or "#". */
const openAuthority = /^[^:]*:\/\/[^/?#]*$/;

/**
 * What follows where a host has been cut in two, so that its first half is a host that the text does not name: what other readers let stand
 * in a name (symbols, marks without width, the dots of other scripts), bytes that could not be decoded, an escaping
 * backslash, and behind a blank the rest of a name or of a login.
 */
const continuations: readonly RegExp[] = [
  /^\ufffd/u,
  /^[\p{S}\p{Cf}\u00b7\u0375\u05f3\u05f4\u30fb]+[\p{L}\p{M}\p{N}.@:/-]/u,
  /^[\u3002\uff0e\uff61][A-Za-z0-9-]/u,
  /^\\[._-]/,
  /^[^\S\r\n]+(?:\.[\p{L}\p{N}-]+[./:]|@[\p{L}\p{N}])/u,
  /^[^\S\r\n]+(?!mailto:|news:|sips?:|xmpp:)[^\s/?#@<>"]*(?::[^\s/?#@<>"]*@[\p{L}\p{N}]|@[^\s/?#@<>"]+\/)/iu,
];
/** The dots of other scripts end a sentence behind a name in letters of US-ASCII, and part a name in other letters. */
const foreignDot = /^[\u3002\uff0e\uff61][\p{L}\p{N}]/u;

/** Whether a bare URL, which ends at `end`, has only the beginning of a host. `undefined`: more text has to come first. */
export function isHostCut(units: CodeUnits, start: number, end: number, final: boolean): boolean | undefined {
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

/** Whether the lines of a URL in angle brackets belong together: there is no white space in it but around line breaks. */
export function isFolded(written: string): boolean {
  return !/[^\s>][^\S\r\n]+[^\s>]/.test(written);
}

/** Whether a URL ends within its authority. */
export function endsInAuthority(url: string): boolean {
  return openAuthority.test(url);
}
