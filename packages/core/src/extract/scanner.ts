import { endsWithinAuthority, isFolded, isHostSplitByLineEnd } from "./host-cut.ts";
import { type CodeUnitClass, type CodeUnits, createCodeUnitClass } from "./code-units.ts";

/** A range that may contain a URL, without its wrapper. */
export interface UrlCandidate {
  readonly start: number;
  readonly end: number;
  readonly isWrapped: boolean;
  /** True when the text continues after the range, and is too long for a URL. */
  readonly isTooLong: boolean;
  /** True for a bare URL in angle brackets on several lines. */
  readonly isFolded?: boolean;
  /** True when the range has only the beginning of a host. */
  readonly isHostSplit?: boolean;
}

/** Finds candidates in a window that moves over a text. */
export interface Scanner {
  /** Returns the next candidate. `undefined` when there is none, or when more text is needed to decide. */
  next(units: CodeUnits, final: boolean): UrlCandidate | undefined;
  /** Returns the number of units that the window must drop. The scanner does not read them again. */
  release(): number;
}

/** The maximum length of a line of mail (RFC 5322 §2.1.1). The search for a quotation mark goes no further back. */
const LINE_LIMIT = 998;
/** The number of units before a colon that the scanner reads: a line, or a scheme name. */
const LOOK_BACK = 1024;
/** At least the units of one character. The lookahead must not cut a character. */
const CHARACTER = 4;

// The classes are marked as pure, so that bundlers can remove unused ones.

/** The characters that always end a bare URL: blanks, controls, and delimiters of RFC 1738 §2.2. */
const STOPS = '\\0-\\x20"<>\\\\\\x7f';
const WITHIN_RUN: CodeUnitClass = /* @__PURE__ */ createCodeUnitClass("^", STOPS);
/** The characters that need no further check: US-ASCII without brackets and stops. */
const PLAIN: CodeUnitClass = /* @__PURE__ */ createCodeUnitClass("^", STOPS, "()[\\]{}\\x80-\\uffff");
const WITHIN_WRAPPER: CodeUnitClass = /* @__PURE__ */ createCodeUnitClass("^<>");
const BLANKS_AND_MARKS: CodeUnitClass = /* @__PURE__ */ createCodeUnitClass(" \\t-\\r>");
const WORD: CodeUnitClass = /* @__PURE__ */ createCodeUnitClass("A-Za-z0-9");
const JOINS: CodeUnitClass = /* @__PURE__ */ createCodeUnitClass("+.-");
/** Brackets in pairs, the opening bracket first. */
const BRACKETS = "()[]{}";
/** Characters that belong to the sentence when they end a URL. An opening bracket at the end has no partner. */
const PUNCTUATION = ".,;:!?*|^`([{";
const emptyLineStart = /[\r\n][ \t]*$/;
const brokenLine = /^[ \t]*[\r\n]/;
const quotedLine = /^[ \t]*>/;

const NONE = -1;
const WAIT = -2;
const TOO_LONG = -3;

/**
 * Creates a scanner for `<URL:…>` and for bare URLs, each at most `maxLength` units long. Each decision depends on a
 * bounded number of units around a colon. The scanner waits for these units, so chunk borders do not affect the result.
 * The scanner reads each unit a bounded number of times.
 */
export function createScanner(schemes: readonly string[], maxLength: number): Scanner {
  /** The texts before the colon of a URL, by the code of their last character. */
  const openings: (string[] | undefined)[] = [];
  for (const opening of ["<url", ...schemes]) {
    (openings[opening.charCodeAt(opening.length - 1)] ??= []).push(opening);
  }
  const bare = schemes.length > 0;
  let position = 0;
  /** True when the window is inside a run of characters that is too long for a URL. */
  let overlong = false;
  /**
   * The start of the last candidate that was too long. Prevents a second report when a wrapped URL is scanned again as
   * a bare URL.
   */
  let tooLongAt = NONE;

  /**
   * Returns the start of the opening before a colon. Most colons precede a blank, which is allowed only after "<URL:".
   */
  function findWrapped(units: CodeUnits, colon: number): number {
    const last = toLowerCase(units.at(colon - 1));
    const candidates = last === 0x6c || units.at(colon + 1) > 0x20 ? openings[last] : undefined;
    if (candidates === undefined || units.at(colon) !== 0x3a) return NONE;
    for (const opening of candidates) {
      const start = colon - opening.length;
      if (start >= 0 && startsWithOpening(units, start, opening) && !isPartOfLongerName(units, start))
        return start;
    }
    return NONE;
  }

  /** Returns the candidate of a bare URL, `WAIT` or `TOO_LONG`. */
  function findBareUrl(units: CodeUnits, start: number, from: number, final: boolean): UrlCandidate | number {
    const furthest = start + maxLength;
    const limit = Math.min(units.length, furthest + CHARACTER);
    const complete = final || limit === furthest + CHARACTER;
    const end = findRunEnd(units, from, limit, complete);
    if (end === limit && !complete) return WAIT;
    if (end > furthest) {
      position = end;
      skip(units);
      return TOO_LONG;
    }
    const bracketed = units.at(start - 1) === 0x3c;
    const isBroken = bracketed && brokenLine.test(units.text(end, Math.min(units.length, end + LINE_LIMIT)));
    if (isBroken) {
      const close = findWrapperEnd(units, from - 1, maxLength, final);
      if (close === WAIT) return WAIT;
      const folded = close > 0 ? trimWrapper(units, start, close) : undefined;
      if (folded && isFolded(units.text(start, folded.end)))
        return { ...folded, start, isWrapped: false, isFolded: true };
      if (folded && endsWithinAuthority(units.text(start, end)))
        return { start, end, isWrapped: false, isTooLong: false, isHostSplit: true };
    }
    const cut = isHostSplitByLineEnd(units, start, end, final);
    if (cut === undefined) return WAIT;
    // The final dot of a host in brackets is part of the name.
    const isClosed = bracketed && units.at(end) === 0x3e && endsWithinAuthority(units.text(start, end));
    return {
      start,
      end: isClosed || cut ? end : trimPunctuation(units, from, end),
      isWrapped: false,
      isTooLong: false,
      isHostSplit: cut,
    };
  }

  /** Skips to the end of a run that is too long. */
  function skip(units: CodeUnits): void {
    position = units.skipWhileIn(WITHIN_RUN, position);
    overlong = position === units.length;
  }

  return {
    next(units, final) {
      if (overlong) skip(units);
      for (;;) {
        const mark = units.indexOfMark(bare ? ":" : "<", position);
        position = mark < 0 ? units.length : mark;
        const colon = bare ? mark : mark + 4;
        const from = colon + 1;
        if (mark < 0 || (from >= units.length && !final)) return undefined;
        const start = findWrapped(units, colon);
        const wrapped = start >= 0 && units.at(start) === 0x3c;
        let end = NONE;
        let place: UrlCandidate | undefined;
        if (wrapped) end = findWrapperEnd(units, colon, maxLength, final);
        else if (start >= 0) {
          const found = findBareUrl(units, start, from, final);
          if (typeof found === "number") end = found;
          else ({ end } = place = found);
        }
        if (end === WAIT) return undefined;
        position = Math.max(mark + 1, position, wrapped ? end + 1 : end);
        if (wrapped && end > 0) return trimWrapper(units, from, end);
        if (place && end > from) return place;
        if (end !== TOO_LONG) continue;
        const limit = (wrapped ? from : start) + maxLength;
        const first = wrapped ? Math.min(units.skipWhileIn(BLANKS_AND_MARKS, from), limit) : start;
        if (first === tooLongAt) continue;
        tooLongAt = first;
        return { start: first, end: limit, isWrapped: wrapped, isTooLong: true };
      }
    },
    release() {
      const count = Math.max(0, position - LOOK_BACK);
      position -= count;
      tooLongAt -= count;
      return count;
    },
  };
}

/** Converts a letter to lower case. Does not change "<", digits and "+-.". */
function toLowerCase(code: number): number {
  return code | 0x20;
}

function startsWithOpening(units: CodeUnits, start: number, opening: string): boolean {
  for (let index = opening.length - 1; index >= 0; index--) {
    if (toLowerCase(units.at(start + index)) !== opening.charCodeAt(index)) return false;
  }
  return true;
}

/**
 * True when the scheme name begins before `start`. "x-http:" and "1.http:" are other schemes, "...http:" and "--http:"
 * are not.
 */
function isPartOfLongerName(units: CodeUnits, start: number): boolean {
  const before = units.at(start - 1);
  const joins = JOINS.bytes[before] === 1 && WORD.bytes[units.at(start - 2)] === 1;
  return units.at(start) !== 0x3c && (joins || WORD.bytes[before] === 1);
}

/**
 * Returns the index of the ">" that ends a wrapper. A ">" at the beginning of a line is a quotation mark in quoted
 * mail.
 */
function findWrapperEnd(units: CodeUnits, colon: number, maxLength: number, final: boolean): number {
  let quoted: boolean | undefined;
  for (let from = colon + 1; ;) {
    const index = units.skipWhileIn(WITHIN_WRAPPER, from);
    if (index > colon + 1 + maxLength) return TOO_LONG;
    if (index === units.length) return final ? NONE : WAIT;
    if (units.at(index) === 0x3c) return NONE;
    if (units.at(index - 1) > 0x20 || !emptyLineStart.test(units.text(from, index))) return index;
    quoted ??= isQuoted(units, colon);
    if (!quoted) return index;
    from = units.skipWhileIn(BLANKS_AND_MARKS, index);
  }
}

/** Returns the candidate in a wrapper, without white space and quotation marks at its ends. */
function trimWrapper(units: CodeUnits, from: number, close: number): UrlCandidate {
  const start = Math.min(units.skipWhileIn(BLANKS_AND_MARKS, from), close);
  let end = close;
  while (end > start && BLANKS_AND_MARKS.bytes[units.at(end - 1)] === 1) end--;
  return { start, end, isWrapped: true, isTooLong: false };
}

/** True when the line with the colon begins with ">". */
function isQuoted(units: CodeUnits, colon: number): boolean {
  let start = colon;
  while (start > 0 && units.at(start - 1) !== 0x0a && units.at(start - 1) !== 0x0d) {
    if (colon - --start > LINE_LIMIT) return false;
  }
  return quotedLine.test(units.text(start, colon));
}

/** Returns the end of a bare URL, at most `limit`. An unmatched closing bracket ends the URL. */
function findRunEnd(units: CodeUnits, from: number, limit: number, complete: boolean): number {
  const open: number[] = [];
  for (let index = units.skipWhileIn(PLAIN, from); index < limit; index = units.skipWhileIn(PLAIN, index)) {
    const start = index;
    while (index < limit && units.at(index) > 0x7f) index++;
    if (index > start) {
      if (index === limit && !complete) return limit;
      const words = units.text(start, index);
      // Beyond US-ASCII, only letters, marks and digits belong to a bare URL. U+FFFD, the replacement of lost bytes,
      // does not.
      const stop = words.search(/[^\p{L}\p{M}\p{N}]/u);
      if (stop >= 0) return start + units.lengthOf(words.slice(0, stop));
      continue;
    }
    const bracket = BRACKETS.indexOf(String.fromCharCode(units.at(index++)));
    if (bracket >= 0 && bracket % 2 === 0) open.push(bracket);
    else if (bracket < 0 || open.pop() !== bracket - 1) return start;
  }
  return limit;
}

/** Returns the end of a bare URL without final punctuation and a final unpaired quotation mark. */
function trimPunctuation(units: CodeUnits, from: number, end: number): number {
  let quotes = NONE;
  for (; end > from; end--) {
    const character = String.fromCharCode(units.at(end - 1));
    if (character === "'") {
      if (quotes === NONE) quotes = units.text(from, end).split(character).length - 1;
      if (quotes-- % 2 === 0) break;
    } else if (!PUNCTUATION.includes(character)) break;
  }
  return end;
}
