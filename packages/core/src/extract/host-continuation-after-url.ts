import type { StreamedTextWindow } from "./streamed-text-window.ts";

/** The number of units after a bare URL that are searched for the rest of its host. */
const MAX_HOST_LOOKAHEAD_UNITS = 256;
/**
 * The number of units after a bare URL that must have arrived before the check, unless the text has ended. Most
 * displayed characters have at most 16 UTF-16 code units or UTF-8 bytes.
 */
const MIN_HOST_LOOKAHEAD_UNITS = 16;

/** Matches a URL that ends within its authority: no "/", "?" or "#" follows the "//". */
const urlEndingInAuthority = /^[^:]*:\/\/[^/?#]*$/;

/**
 * Matches a text that continues a host name in which an unusual character ended the URL: an undecodable byte, a symbol,
 * a character without width, a dot of another script, or a backslash. The rest of a host name or login may also follow
 * a blank. The URL up to the unusual character or blank has another host than the text names.
 */
const hostNameContinuations: readonly RegExp[] = [
  /^\ufffd/u,
  /^[\p{S}\p{Cf}\u00b7\u0375\u05f3\u05f4\u30fb]+[\p{L}\p{M}\p{N}.@:/-]/u,
  /^[\u3002\uff0e\uff61][A-Za-z0-9-]/u,
  /^\\[._-]/,
  /^[^\S\r\n]+(?:\.[\p{L}\p{N}-]+[./:]|@[\p{L}\p{N}])/u,
  /^[^\S\r\n]+(?!mailto:|news:|sips?:|xmpp:)[^\s/?#@<>"]*(?::[^\s/?#@<>"]*@[\p{L}\p{N}]|@[^\s/?#@<>"]+\/)/iu,
];
/**
 * Matches a dot of another script, such as U+3002, before a letter or digit. After a US-ASCII host name, a dot of
 * another script before a non-ASCII letter ends the sentence. After a non-ASCII letter, a dot of another script
 * separates labels of the host name.
 */
const ideographicDotBeforeLetter = /^[\u3002\uff0e\uff61][\p{L}\p{N}]/u;

/**
 * True when a bare URL that ends at `end` has only the first part of a host name. `undefined` when more text is needed
 * to decide.
 */
export function doesHostContinueAfterUrl(
  units: StreamedTextWindow,
  start: number,
  end: number,
  final: boolean,
): boolean | undefined {
  const next = units.codeUnitAt(end);
  if (end >= units.length || (next !== 0x20 && next !== 0x09 && next !== 0x5c && next < 0x80)) return false;
  const url = units.textBetween(start, end);
  if (!urlEndingInAuthority.test(url)) return false;
  const rest = units.textBetween(end, Math.min(units.length, end + MAX_HOST_LOOKAHEAD_UNITS));
  const available = units.length - end;
  const isKnown = /^\s/.test(rest)
    ? /^\s+\S+\s/.test(rest) || available >= MAX_HOST_LOOKAHEAD_UNITS
    : available >= MIN_HOST_LOOKAHEAD_UNITS;
  if (!final && !isKnown) return undefined;
  return (
    hostNameContinuations.some((continuation) => continuation.test(rest)) ||
    (/[^\0-\x7f]$/.test(url) && ideographicDotBeforeLetter.test(rest))
  );
}

/**
 * True when a URL in angle brackets has white space only around line breaks. A URL with white space only around line
 * breaks continues after the line breaks.
 */
export function hasOnlyLineBreakWhitespace(written: string): boolean {
  return !/[^\s>][^\S\r\n]+[^\s>]/.test(written);
}

export function endsWithinAuthority(url: string): boolean {
  return urlEndingInAuthority.test(url);
}
