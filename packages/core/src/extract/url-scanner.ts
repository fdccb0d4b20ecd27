import {
  endsWithinAuthority,
  hasOnlyLineBreakWhitespace,
  doesHostContinueAfterUrl,
} from "./host-continuation-after-url.ts";
import { type CodeUnitSet, type StreamedTextWindow, createCodeUnitSet } from "./streamed-text-window.ts";

/** A range of the text that may be a URL, without `<URL:` and `>`. */
export interface UrlCandidate {
  readonly start: number;
  readonly end: number;
  readonly isWrapped: boolean;
  /** True when the text continues after the range, and is longer than the maximum length of a URL. */
  readonly isTooLong: boolean;
  /** True for a URL on several lines in angle brackets without `URL:`. */
  readonly isOnSeveralLines?: boolean;
  /** True when the range ends in the middle of a host name. */
  readonly isHostSplit?: boolean;
}

/** Finds candidate URLs in a window that moves over a text. */
export interface UrlScanner {
  /** Returns the next candidate URL, or `undefined` when there is none or more text is needed to decide. */
  nextCandidate(units: StreamedTextWindow, final: boolean): UrlCandidate | undefined;
  /**
   * Returns the number of units that the caller must drop from the start of the window. The scanner does not read the
   * dropped units again.
   */
  countDroppableUnits(): number;
}

/**
 * The maximum length of a line of mail (RFC 5322 §2.1.1). The scanner searches for the ">" of quoted mail at most this
 * far back.
 */
const MAX_MAIL_LINE_LENGTH = 998;
/**
 * The number of units before a colon that the scanner may read again, to find the scheme name and the beginning of the
 * line.
 */
const MAX_LOOKBACK_UNITS = 1024;
/**
 * The maximum number of UTF-16 code units or UTF-8 bytes of one character. The scanner's lookahead after a URL must not
 * end within a character.
 */
const MAX_UNITS_PER_CHARACTER = 4;

// The character sets are marked as pure, so that bundlers can remove unused sets.

/** The characters that always end a bare URL: blanks, controls, and delimiters of RFC 1738 §2.2. */
const URL_END_CHARACTERS = '\\0-\\x20"<>\\\\\\x7f';
const BARE_URL_CHARACTERS: CodeUnitSet = /* @__PURE__ */ createCodeUnitSet("^", URL_END_CHARACTERS);
/** The characters that never end a bare URL: US-ASCII without brackets, blanks, controls and delimiters. */
const ASCII_WITHOUT_BRACKETS: CodeUnitSet = /* @__PURE__ */ createCodeUnitSet(
  "^",
  URL_END_CHARACTERS,
  "()[\\]{}\\x80-\\uffff",
);
const CHARACTERS_WITHIN_WRAPPER: CodeUnitSet = /* @__PURE__ */ createCodeUnitSet("^<>");
const BLANKS_AND_QUOTE_MARKS: CodeUnitSet = /* @__PURE__ */ createCodeUnitSet(" \\t-\\r>");
const ASCII_LETTERS_AND_DIGITS: CodeUnitSet = /* @__PURE__ */ createCodeUnitSet("A-Za-z0-9");
const SCHEME_NAME_PUNCTUATION: CodeUnitSet = /* @__PURE__ */ createCodeUnitSet("+.-");
/** The brackets in pairs, each opening bracket before its closing bracket. */
const BRACKET_PAIRS = "()[]{}";
/**
 * The characters that belong to the sentence, and not to the URL, when they follow a URL. A final opening bracket has
 * no closing bracket in the URL.
 */
const PUNCTUATION = ".,;:!?*|^`([{";
const lineBreakBeforeBlanks = /[\r\n][ \t]*$/;
const blanksBeforeLineBreak = /^[ \t]*[\r\n]/;
const quotedMailLineStart = /^[ \t]*>/;

const NO_CANDIDATE = -1;
const NEEDS_MORE_TEXT = -2;
const CANDIDATE_TOO_LONG = -3;

/**
 * Creates a scanner for `<URL:…>` and for bare URLs, each at most `maxLength` units long. Each decision depends on a
 * limited number of units around a colon. The scanner waits for these units, so the borders of chunks do not affect the
 * result. The scanner reads each unit of the text a limited number of times.
 */
export function createUrlScanner(schemes: readonly string[], maxLength: number): UrlScanner {
  /** The scheme names and "<url", which precede the colon of a URL, by the code of their last character. */
  const openings: (string[] | undefined)[] = [];
  for (const opening of ["<url", ...schemes]) {
    (openings[opening.charCodeAt(opening.length - 1)] ??= []).push(opening);
  }
  const bare = schemes.length > 0;
  let position = 0;
  /** True when the window is inside a run of characters that is too long for a URL. */
  let overlong = false;
  /**
   * The start of the last candidate URL that was too long. Prevents a second report of `<URL:…>` when its contents are
   * scanned again as a bare URL.
   */
  let tooLongAt = NO_CANDIDATE;

  /**
   * Returns the start of the scheme name or "<URL" before a colon. Most colons of a text precede a blank, but a blank
   * may follow only the colon of "<URL:".
   */
  function findWrappedUrl(units: StreamedTextWindow, colon: number): number {
    const last = toLowerCase(units.codeUnitAt(colon - 1));
    const candidates = last === 0x6c || units.codeUnitAt(colon + 1) > 0x20 ? openings[last] : undefined;
    if (candidates === undefined || units.codeUnitAt(colon) !== 0x3a) return NO_CANDIDATE;
    for (const opening of candidates) {
      const start = colon - opening.length;
      if (start >= 0 && startsWithPrefix(units, start, opening) && !isPartOfLongerSchemeName(units, start))
        return start;
    }
    return NO_CANDIDATE;
  }

  /** Returns the candidate for a bare URL, or `NEEDS_MORE_TEXT` or `CANDIDATE_TOO_LONG`. */
  function findBareUrl(
    units: StreamedTextWindow,
    start: number,
    from: number,
    final: boolean,
  ): UrlCandidate | number {
    const furthest = start + maxLength;
    const limit = Math.min(units.length, furthest + MAX_UNITS_PER_CHARACTER);
    const complete = final || limit === furthest + MAX_UNITS_PER_CHARACTER;
    const end = findBareUrlEnd(units, from, limit, complete);
    if (end === limit && !complete) return NEEDS_MORE_TEXT;
    if (end > furthest) {
      position = end;
      skipLongRun(units);
      return CANDIDATE_TOO_LONG;
    }
    const bracketed = units.codeUnitAt(start - 1) === 0x3c;
    const isBroken =
      bracketed &&
      blanksBeforeLineBreak.test(units.textBetween(end, Math.min(units.length, end + MAX_MAIL_LINE_LENGTH)));
    if (isBroken) {
      const close = findWrapperEnd(units, from - 1, maxLength, final);
      if (close === NEEDS_MORE_TEXT) return NEEDS_MORE_TEXT;
      const folded = close > 0 ? trimWrapper(units, start, close) : undefined;
      if (folded && hasOnlyLineBreakWhitespace(units.textBetween(start, folded.end)))
        return { ...folded, start, isWrapped: false, isOnSeveralLines: true };
      if (folded && endsWithinAuthority(units.textBetween(start, end)))
        return { start, end, isWrapped: false, isTooLong: false, isHostSplit: true };
    }
    const cut = doesHostContinueAfterUrl(units, start, end, final);
    if (cut === undefined) return NEEDS_MORE_TEXT;
    // The final dot of a host name in angle brackets is part of the name.
    const isClosed =
      bracketed && units.codeUnitAt(end) === 0x3e && endsWithinAuthority(units.textBetween(start, end));
    return {
      start,
      end: isClosed || cut ? end : trimPunctuation(units, from, end),
      isWrapped: false,
      isTooLong: false,
      isHostSplit: cut,
    };
  }

  /** Skips to the end of a run of characters that is too long for a URL. */
  function skipLongRun(units: StreamedTextWindow): void {
    position = units.skipCharactersOf(BARE_URL_CHARACTERS, position);
    overlong = position === units.length;
  }

  return {
    nextCandidate(units, final) {
      if (overlong) skipLongRun(units);
      for (;;) {
        const mark = units.indexOfColonOrLessThan(bare ? ":" : "<", position);
        position = mark < 0 ? units.length : mark;
        const colon = bare ? mark : mark + 4;
        const from = colon + 1;
        if (mark < 0 || (from >= units.length && !final)) return undefined;
        const start = findWrappedUrl(units, colon);
        const wrapped = start >= 0 && units.codeUnitAt(start) === 0x3c;
        let end = NO_CANDIDATE;
        let place: UrlCandidate | undefined;
        if (wrapped) end = findWrapperEnd(units, colon, maxLength, final);
        else if (start >= 0) {
          const found = findBareUrl(units, start, from, final);
          if (typeof found === "number") end = found;
          else ({ end } = place = found);
        }
        if (end === NEEDS_MORE_TEXT) return undefined;
        position = Math.max(mark + 1, position, wrapped ? end + 1 : end);
        if (wrapped && end > 0) return trimWrapper(units, from, end);
        if (place && end > from) return place;
        if (end !== CANDIDATE_TOO_LONG) continue;
        const limit = (wrapped ? from : start) + maxLength;
        const first = wrapped ? Math.min(units.skipCharactersOf(BLANKS_AND_QUOTE_MARKS, from), limit) : start;
        if (first === tooLongAt) continue;
        tooLongAt = first;
        return { start: first, end: limit, isWrapped: wrapped, isTooLong: true };
      }
    },
    countDroppableUnits() {
      const count = Math.max(0, position - MAX_LOOKBACK_UNITS);
      position -= count;
      tooLongAt -= count;
      return count;
    },
  };
}

/**
 * Converts the code of a US-ASCII letter to lower case. The conversion to lower case does not change "<", digits and
 * "+-.".
 */
function toLowerCase(code: number): number {
  return code | 0x20;
}

function startsWithPrefix(units: StreamedTextWindow, start: number, opening: string): boolean {
  for (let index = opening.length - 1; index >= 0; index--) {
    if (toLowerCase(units.codeUnitAt(start + index)) !== opening.charCodeAt(index)) return false;
  }
  return true;
}

/**
 * True when the scheme name begins before `start`: "http" in "x-http:" and "1.http:" is part of a longer name, and in
 * "...http:" and "--http:" it is not.
 */
function isPartOfLongerSchemeName(units: StreamedTextWindow, start: number): boolean {
  const before = units.codeUnitAt(start - 1);
  const joins =
    SCHEME_NAME_PUNCTUATION.byteTable[before] === 1 &&
    ASCII_LETTERS_AND_DIGITS.byteTable[units.codeUnitAt(start - 2)] === 1;
  return units.codeUnitAt(start) !== 0x3c && (joins || ASCII_LETTERS_AND_DIGITS.byteTable[before] === 1);
}

/** Returns the index of the ">" that ends `<URL:…>`. Skips a ">" that begins a line of quoted mail. */
function findWrapperEnd(units: StreamedTextWindow, colon: number, maxLength: number, final: boolean): number {
  let quoted: boolean | undefined;
  for (let from = colon + 1; ;) {
    const index = units.skipCharactersOf(CHARACTERS_WITHIN_WRAPPER, from);
    if (index > colon + 1 + maxLength) return CANDIDATE_TOO_LONG;
    if (index === units.length) return final ? NO_CANDIDATE : NEEDS_MORE_TEXT;
    if (units.codeUnitAt(index) === 0x3c) return NO_CANDIDATE;
    if (units.codeUnitAt(index - 1) > 0x20 || !lineBreakBeforeBlanks.test(units.textBetween(from, index)))
      return index;
    quoted ??= isInQuotedMailLine(units, colon);
    if (!quoted) return index;
    from = units.skipCharactersOf(BLANKS_AND_QUOTE_MARKS, index);
  }
}

/** Returns the candidate inside `<URL:…>`, without white space and the ">" of quoted mail at its ends. */
function trimWrapper(units: StreamedTextWindow, from: number, close: number): UrlCandidate {
  const start = Math.min(units.skipCharactersOf(BLANKS_AND_QUOTE_MARKS, from), close);
  let end = close;
  while (end > start && BLANKS_AND_QUOTE_MARKS.byteTable[units.codeUnitAt(end - 1)] === 1) end--;
  return { start, end, isWrapped: true, isTooLong: false };
}

/** True when the line that contains the colon begins with the ">" of quoted mail. */
function isInQuotedMailLine(units: StreamedTextWindow, colon: number): boolean {
  let start = colon;
  while (start > 0 && units.codeUnitAt(start - 1) !== 0x0a && units.codeUnitAt(start - 1) !== 0x0d) {
    if (colon - --start > MAX_MAIL_LINE_LENGTH) return false;
  }
  return quotedMailLineStart.test(units.textBetween(start, colon));
}

/** Returns the index at which a bare URL ends, at most `limit`. An unmatched closing bracket ends the URL. */
function findBareUrlEnd(units: StreamedTextWindow, from: number, limit: number, complete: boolean): number {
  const open: number[] = [];
  for (
    let index = units.skipCharactersOf(ASCII_WITHOUT_BRACKETS, from);
    index < limit;
    index = units.skipCharactersOf(ASCII_WITHOUT_BRACKETS, index)
  ) {
    const start = index;
    while (index < limit && units.codeUnitAt(index) > 0x7f) index++;
    if (index > start) {
      if (index === limit && !complete) return limit;
      const words = units.textBetween(start, index);
      // Beyond US-ASCII, a bare URL may contain only letters, combining marks and digits. U+FFFD, which replaces
      // undecodable bytes, is neither a letter, nor a mark, nor a digit.
      const stop = words.search(/[^\p{L}\p{M}\p{N}]/u);
      if (stop >= 0) return start + units.encodedLength(words.slice(0, stop));
      continue;
    }
    const bracket = BRACKET_PAIRS.indexOf(String.fromCharCode(units.codeUnitAt(index++)));
    if (bracket >= 0 && bracket % 2 === 0) open.push(bracket);
    else if (bracket < 0 || open.pop() !== bracket - 1) return start;
  }
  return limit;
}

/** Returns the index at which a bare URL ends when its final punctuation and an unpaired final "'" are removed. */
function trimPunctuation(units: StreamedTextWindow, from: number, end: number): number {
  let quotes = NO_CANDIDATE;
  for (; end > from; end--) {
    const character = String.fromCharCode(units.codeUnitAt(end - 1));
    if (character === "'") {
      if (quotes === NO_CANDIDATE) quotes = units.textBetween(from, end).split(character).length - 1;
      if (quotes-- % 2 === 0) break;
    } else if (!PUNCTUATION.includes(character)) break;
  }
  return end;
}
