import { FAULTS, type Deviation, type FaultCode } from "./deviation.ts";
import { type CharacterClass, endOfRun, national } from "./octets.ts";
import { escapeCharacter } from "./percent-encoding.ts";

/** Strict accepts the grammar only; tolerant accepts what people write, lists it, and `format` repairs it. */
export type Mode = "strict" | "tolerant";

/** Which characters a tolerant reading lets stand in a component, beyond those of its class. */
export interface Tolerance {
  /** Characters reserved in this component that are nevertheless understood in one way only. */
  readonly reserved?: string;
  /** Whether `{ } | ^ ~ [ ]` and the backtick are let in. Default true. */
  readonly national?: boolean;
}

const NONE: readonly Deviation[] = Object.freeze([]);

/**
 * One reading of one text: where the reader stands between start and end, and what it found. A parser reads component by
 * component and gives up as soon as `fault` is set; nothing is thrown, so that bulk work pays for no stack traces.
 */
export class Reading {
  readonly text: string;
  readonly mode: Mode;
  /** Where the scheme-specific part begins. */
  readonly start: number;
  /** Where it ends: at the end of the text, or before the "#" of a fragment. */
  end: number;
  /** The index of the "#" of a fragment, or -1. */
  mark = -1;
  fault: Deviation | undefined = undefined;
  #found: Deviation[] | undefined = undefined;

  constructor(text: string, mode: Mode, start: number) {
    this.text = text;
    this.mode = mode;
    this.start = start;
    this.end = text.length;
    this.#splitFragment();
  }

  get deviations(): readonly Deviation[] {
    return this.#found ?? NONE;
  }

  /** Notes what no mode accepts. Returns false, for `return reading.refuse(…)`. */
  refuse(code: FaultCode, index: number, length: number, suggestion: string): false {
    this.fault ??= deviation(code, index, length, suggestion);
    return false;
  }

  /** Notes what only tolerant mode accepts. Returns whether to go on. */
  depart(code: FaultCode, index: number, length: number, suggestion: string): boolean {
    if (this.mode === "strict") return this.refuse(code, index, length, suggestion);
    (this.#found ??= []).push(deviation(code, index, length, suggestion));
    return true;
  }

  /** Checks that text[start, end) consists of characters of the class and escapes; what else is there is refused or noted. */
  check(start: number, end: number, allowed: CharacterClass, tolerance: Tolerance = {}): boolean {
    let index = endOfRun(this.text, start, end, allowed);
    while (index < end) {
      const next = this.#judge(index, end, tolerance);
      if (next < 0) return false;
      index = endOfRun(this.text, next, end, allowed);
    }
    return true;
  }

  /** Judges the character at `index`, which is outside its class; returns the index behind it, or -1 for a fault. */
  #judge(index: number, end: number, tolerance: Tolerance): number {
    const point = this.text.codePointAt(index) ?? 0;
    const character = String.fromCodePoint(point);
    const fatal = fatalFault(point);
    if (fatal) {
      this.refuse(
        fatal,
        index,
        fatal === "bad-escape" ? Math.min(3, end - index) : 1,
        writeInstead(character),
      );
      return -1;
    }
    const code = point > 0x7f ? "non-ascii" : national.includes(character) ? "unsafe" : "reserved";
    const letIn =
      code === "non-ascii" ||
      (code === "unsafe" ? tolerance.national !== false : tolerance.reserved?.includes(character) === true);
    const accepted = letIn
      ? this.depart(code, index, character.length, writeInstead(character))
      : this.refuse(code, index, character.length, writeInstead(character));
    return accepted ? index + character.length : -1;
  }

  // RFC 1738 §2.2: "#" is "used in World Wide Web and in other systems to delimit a URL from a fragment/anchor identifier".
  #splitFragment(): void {
    const mark = this.text.indexOf("#", this.start);
    if (mark < 0) return;
    const length = this.text.length - mark;
    const advice = 'write "%23" for an octet of the name, or keep the fragment apart from the URL';
    this.end = mark;
    if (!this.depart("fragment", mark, length, advice)) return;
    this.mark = mark;
    for (let index = mark + 1; index < this.text.length; index++) {
      const point = this.text.codePointAt(index) ?? 0;
      const fatal = fatalFault(point);
      if (fatal && fatal !== "bad-escape") {
        this.refuse(fatal, index, 1, writeInstead(this.text.charAt(index)));
        return;
      }
      if (point > 0xffff) index++;
    }
  }
}

/** Makes the record of a deviation. RFC 1738's section and the sentence come from the code. */
export function deviation(code: FaultCode, index: number, length: number, suggestion: string): Deviation {
  const [section, message] = FAULTS[code];
  return Object.freeze({ code, index, length, section, message, suggestion });
}

/** The fault of a character that two readers would take differently, and that no mode lets in. */
function fatalFault(point: number): FaultCode | undefined {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return "control";
  if (point >= 0xd800 && point <= 0xdfff) return "lone-surrogate";
  switch (point) {
    case 0x20:
      return "space";
    case 0x22:
    case 0x3c:
    case 0x3e:
      return "delimiter";
    case 0x25:
      return "bad-escape";
    case 0x5c:
      return "backslash";
    default:
      return undefined;
  }
}

function writeInstead(character: string): string {
  return `write "${escapeCharacter(character)}"`;
}
