import { type UnitClass, type Units, unitClass } from "./extract-units.ts";

/** Where a URL may stand, without its wrapper. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly wrapped: boolean;
}

/** Finds places, one after another, in a window that moves over a text. */
export interface Scanner {
  /** The next place; `undefined` when there is none, or when more text has to come before it is known. */
  next(units: Units, final: boolean): Place | undefined;
  /** How many units at the start of the window will not be looked at again; the window has to forget them. */
  release(): number;
}

/** RFC 5322 §2.1.1: a line of mail has at most 998 characters. The mark of a quotation is looked for no further back. */
const LINE_LIMIT = 998;
/** How many units before a colon are still looked at: a line, or a scheme name. */
const LOOK_BACK = 1024;
/** More than the units of one character, which must not be cut where a look ahead ends. */
const CHARACTER = 4;

/** What ends a bare URL wherever it stands: blanks, controls, and delimiters of RFC 1738 §2.2. */
const STOPS = '\\0-\\x20"<>\\\\\\x7f';
const WITHIN_RUN: UnitClass = unitClass(`^${STOPS}`);
/** What needs no second look: no brackets, and nothing beyond US-ASCII. */
const PLAIN: UnitClass = unitClass(`^${STOPS}()[\\]{}\\x80-\\uffff`);
const WITHIN_WRAPPER: UnitClass = unitClass("^<>");
const BLANK: UnitClass = unitClass(" \\t\\v\\f");
const LINE_BREAK: UnitClass = unitClass("\\r\\n");
/** White space and the marks of quotations. */
const IGNORED: UnitClass = unitClass(" \\t-\\r>");
const OPENING = "([{";
const CLOSING = ")]}";
/** What ends a sentence rather than a URL. An opening bracket at the end opens nothing. */
const PUNCTUATION: string = ".,;:!?*|^`" + OPENING;
/** Beyond US-ASCII only letters, marks and digits belong to a bare URL; U+FFFD, which stands for lost octets, does not. */
const notOfWords = /[^\p{L}\p{M}\p{N}]/u;

const NONE = -1;
const WAIT = -2;

const LESS = 0x3c;
const GREATER = 0x3e;

/**
 * Makes a scanner for `<URL:…>` and for bare URLs of the schemes, none longer than `maxLength` units. Every decision rests on
 * a bounded number of units before and after a colon, and waits for them, so that it is the same however the text is cut into
 * chunks. Each unit is looked at a bounded number of times.
 */
export function createScanner(schemes: readonly string[], maxLength: number): Scanner {
  const names = schemes.map((name) => name.replace(/[+.]/g, "\\$&"));
  // No scheme name goes on before: "x-http:" and "1.http:" are other schemes, "...http:" and "--http:" are not.
  const opening = new RegExp(`(?:<URL|(?<![a-z0-9][+.-]?)(?:${names.join("|")}))$`, "i");
  const longest = Math.max(...schemes.map((name) => name.length), 2) + 2;
  /** Whether the opening of a URL may end with a code. */
  const ends = new Uint8Array(0x80);
  for (const name of ["url", ...schemes]) {
    const code = name.charCodeAt(name.length - 1);
    ends[code] = ends[code & ~0x20] = 1;
  }
  let position = 0;
  /** The end of the last place: no place begins before it. */
  let floor = 0;
  /** Whether the window stands inside a run of characters that is too long for a URL. */
  let overlong = false;

  function placeAt(units: Units, colon: number, final: boolean): Place | typeof NONE | typeof WAIT {
    const last = units.at(colon - 1);
    // Nearly all colons in a text end a word of another kind, or have a blank after them.
    if (ends[last] !== 1 || !(units.at(colon + 1) > 0x20 || (last | 0x20) === 0x6c)) return NONE;
    const name = opening.exec(units.text(Math.max(0, colon - longest), colon))?.[0] ?? "";
    const start = colon - name.length;
    if (units.at(start) === LESS) return wrapped(units, colon, final);
    return name !== "" && start >= floor && units.at(colon + 1) > 0x20
      ? bare(units, start, colon + 1, final)
      : NONE;
  }

  function wrapped(units: Units, colon: number, final: boolean): Place | typeof NONE | typeof WAIT {
    let end = endOfWrapper(units, colon, colon + 1 + maxLength, final);
    if (end === NONE || end === WAIT) return end;
    position = floor = end + 1;
    const start = units.past(IGNORED, colon + 1);
    while (end > start && IGNORED.octets[units.at(end - 1)] === 1) end--;
    return { start: Math.min(start, end), end, wrapped: true };
  }

  function bare(
    units: Units,
    start: number,
    from: number,
    final: boolean,
  ): Place | typeof NONE | typeof WAIT {
    const furthest = start + maxLength;
    const limit = Math.min(units.length(), furthest + CHARACTER);
    const complete = final || limit === furthest + CHARACTER;
    const afterBracket = units.at(start - 1) === LESS;
    let end = endOfRun(units, from, limit, complete, !afterBracket);
    if (end === limit && !complete) return WAIT;
    const exact = afterBracket && units.at(end) === GREATER;
    if (afterBracket && !exact) end = endOfRun(units, from, limit, complete, true);
    position = floor = end;
    if (end > furthest) {
      skip(units);
      return NONE;
    }
    if (!exact) position = floor = end = beforePunctuation(units, from, end);
    return end > from ? { start, end, wrapped: false } : NONE;
  }

  /** Goes on to the end of a run that is too long. */
  function skip(units: Units): void {
    position = floor = units.past(WITHIN_RUN, position);
    overlong = position === units.length();
  }

  return {
    next(units, final) {
      if (overlong) skip(units);
      for (;;) {
        const colon = units.colon(position);
        position = colon < 0 ? units.length() : colon;
        if (colon < 0 || (colon + 1 === units.length() && !final)) return undefined;
        const place = placeAt(units, colon, final);
        if (place === WAIT) return undefined;
        if (place !== NONE) return place;
        position = Math.max(position, colon + 1);
      }
    },
    release() {
      const count = Math.max(0, position - LOOK_BACK);
      position -= count;
      floor -= count;
      return count;
    },
  };
}

/**
 * The index of the ">" that ends a wrapper. In quoted mail, where the wrapper's first line begins with ">", as many of them at
 * the beginning of the next lines are marks of the quotation.
 */
function endOfWrapper(units: Units, colon: number, furthest: number, final: boolean): number {
  let marks = 0;
  for (let mark = colon; ;) {
    const index = units.past(WITHIN_WRAPPER, mark + 1);
    if (index > furthest) return NONE;
    if (index === units.length()) return final ? NONE : WAIT;
    if (units.at(index) === LESS) return NONE;
    let before = index - 1;
    while (before > mark && BLANK.octets[units.at(before)] === 1) before--;
    if (LINE_BREAK.octets[units.at(before)] === 1) marks = 0;
    else if (before > mark || mark === colon) return index;
    if (++marks > quotation(units, colon)) return index;
    mark = index;
  }
}

/** How many ">" begin the line that the wrapper's colon is in. */
function quotation(units: Units, colon: number): number {
  const before = units.text(Math.max(0, colon - LINE_LIMIT), colon);
  const start = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  const marks = /^[\s>]*/.exec(start === 0 && colon > LINE_LIMIT ? "" : before.slice(start));
  return (marks?.[0].split(">").length ?? 1) - 1;
}

/**
 * The end of the characters of a bare URL; `limit` when they do not end before it. A closing bracket that nothing opened
 * ends them when they have to be `balanced`.
 */
function endOfRun(units: Units, from: number, limit: number, complete: boolean, balanced: boolean): number {
  const closing: string[] = [];
  for (let index = units.past(PLAIN, from); index < limit; index = units.past(PLAIN, index)) {
    const start = index;
    while (index < limit && units.at(index) > 0x7f) index++;
    if (index === limit && !complete) return limit;
    const words = units.text(start, index);
    const stop = words.search(notOfWords);
    if (stop >= 0) return start + units.measure(words.slice(0, stop));
    if (index > start) continue;
    const character = String.fromCharCode(units.at(index++));
    const opens = OPENING.indexOf(character);
    if (opens >= 0) closing.push(CLOSING.charAt(opens));
    else if (!CLOSING.includes(character) || (balanced && closing.pop() !== character)) return start;
  }
  return limit;
}

/** The end of a bare URL without the punctuation and the unpaired quotation mark that end it. */
function beforePunctuation(units: Units, from: number, end: number): number {
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
