import { createDeviation, type UrlSyntaxDeviation, type UrlFaultDefinition } from "./syntax-fault.ts";
import {
  type AllowedCharacters,
  skipAllowedCharacters,
  nationalCharacters,
} from "../characters/characters.ts";
import { escapeCharacter, isLoneSurrogate } from "../characters/percent-encoding.ts";

/**
 * `"modern"` accepts the URLs of today and lists their deviations from RFC 1738; `format` repairs them. `"rfc1738"`
 * accepts only the grammar of RFC 1738.
 */
export type ParseMode = "modern" | "rfc1738";

/** The characters that modern mode accepts in a component besides those of its class. */
export interface LenientCharacters {
  /** Reserved characters that modern mode accepts in the component, because they have only one meaning there. */
  readonly reserved?: string;
  /** The later RFC that allows the reserved characters, as in `"RFC 3986 §3.4"`. */
  readonly reservedAllowedByRfc?: string;
  /** True when `{ } | ^ ~ [ ]` and the backtick are accepted. Default true. */
  readonly unsafe?: boolean;
  /** True when blanks, `" < >` and a "%" that begins no escape are accepted. Default: as `unsafe`. */
  readonly delimiters?: boolean;
  /**
   * True when modern mode accepts a backslash in the component. By default, modern mode rejects a backslash, because
   * some parsers read a backslash as "/".
   */
  readonly backslash?: boolean;
}

const BAD_ESCAPE_FAULT: UrlFaultDefinition = {
  code: "bad-escape",
  section: "2.2",
  message: "'%' has to be followed by two hexadecimal digits",
};
const CONTROL_CHARACTER_FAULT: UrlFaultDefinition = {
  code: "control",
  section: "2.2",
  message: "a control character has to be encoded",
};
const BLANK_FAULT: UrlFaultDefinition = {
  code: "space",
  section: "2.2",
  message: "a blank has to be encoded",
};
const DELIMITER_FAULT: UrlFaultDefinition = {
  code: "delimiter",
  section: "2.2",
  message: "the character delimits URLs in text and has to be encoded",
};
const BACKSLASH_FAULT: UrlFaultDefinition = {
  code: "backslash",
  section: "2.2",
  message: "a backslash is read in two ways and has to be encoded",
};
const LONE_SURROGATE: UrlFaultDefinition = {
  code: "lone-surrogate",
  section: "2.2",
  message: "half a surrogate pair is no character",
};
const UNSAFE_CHARACTER_FAULT: UrlFaultDefinition = {
  code: "unsafe",
  section: "2.2",
  message: "the character is unsafe and has to be encoded",
};
const TILDE_FAULT: UrlFaultDefinition = { ...UNSAFE_CHARACTER_FAULT, allowedByRfc: "RFC 3986 §2.3" };
const NON_ASCII: UrlFaultDefinition = {
  code: "non-ascii",
  section: "2.2",
  message: "only US-ASCII may be written, other bytes have to be encoded",
  allowedByRfc: "RFC 3987 §2.2",
};
const FRAGMENT_FAULT: UrlFaultDefinition = {
  code: "fragment",
  section: "2.2",
  message: "a fragment identifier is not part of a URL",
  allowedByRfc: "RFC 3986 §3.5",
};

/** A character with a meaning in the scheme, in a component that does not allow the character. */
export const RESERVED_CHARACTER_FAULT: UrlFaultDefinition = {
  code: "reserved",
  section: "2.2",
  message: "the character is reserved here and has to be encoded",
};

/** Excludes control characters and halves of surrogate pairs, which parsers remove, reject or encode. */
const fragmentCharacters: AllowedCharacters = { disallowed: /[\0-\x1f\x7f-\x9f\ud800-\udfff]/u };

/**
 * The syntax fault of a URL text, and its deviations from RFC 1738. A parser checks component by component and returns
 * as soon as `fault` is set. A fault is recorded and not thrown, so that no stack trace is built.
 */
export class ParseDiagnostics {
  readonly urlText: string;
  readonly mode: ParseMode;
  /** The index where the scheme-specific part starts. */
  readonly schemePartStart: number;
  /** The end of the scheme-specific part: the end of the text, or the "#" of a fragment. */
  schemePartEnd: number;
  fault: UrlSyntaxDeviation | undefined;
  /**
   * The deviations from RFC 1738, which only modern mode accepts. Without `collectsAll`, the list contains only the
   * first deviation.
   */
  readonly deviations: UrlSyntaxDeviation[] = [];
  readonly #collectsAll: boolean;

  /** Without `collectsAll`, stores only the first deviation. */
  constructor(text: string, mode: ParseMode, start: number, collectsAll: boolean = true) {
    this.urlText = text;
    this.mode = mode;
    this.schemePartStart = start;
    this.#collectsAll = collectsAll;
    this.schemePartEnd = this.indexOf("#", start, text.length);
  }

  /** Returns the index of the next `mark` at or after `from`, at most `end`. */
  indexOf(mark: string, from: number, end: number = this.schemePartEnd): number {
    const index = this.urlText.indexOf(mark, from);
    return index < 0 || index > end ? end : index;
  }

  /** Reports a fault, for which the mode rejects the text. Returns false, for `return diagnostics.reportFault(…)`. */
  reportFault(fault: UrlFaultDefinition, index: number, length: number, suggestion: string): false {
    this.fault ??= createDeviation(fault, index, length, suggestion);
    return false;
  }

  /**
   * Reports a fault in the mode `rfc1738` or when `isAccepted` is false, and a deviation otherwise. Returns false if it
   * has reported a fault.
   */
  reportDeviation(
    fault: UrlFaultDefinition,
    index: number,
    length: number,
    suggestion: string,
    isAccepted: boolean = true,
  ): boolean {
    if (this.mode === "rfc1738" || !isAccepted) return this.reportFault(fault, index, length, suggestion);
    if (this.#collectsAll || this.deviations.length === 0)
      this.deviations.push(createDeviation(fault, index, length, suggestion));
    return true;
  }

  /**
   * Checks that text[start, end) consists of characters of the class and escapes. Reports every character that is
   * neither in the class nor part of an escape, up to the first fault.
   */
  checkCharacters(
    start: number,
    end: number,
    allowed: AllowedCharacters,
    tolerance?: LenientCharacters,
  ): boolean {
    for (let index = start; ;) {
      index = skipAllowedCharacters(this.urlText, index, end, allowed);
      if (index >= end) return true;
      const character = String.fromCodePoint(this.urlText.codePointAt(index) ?? 0);
      const fault = faultForCharacter(character, tolerance);
      const length = fault === BAD_ESCAPE_FAULT ? Math.min(3, end - index) : character.length;
      const isLetIn = isAccepted(fault, character, tolerance);
      if (!this.reportDeviation(fault, index, length, `write "${escapeCharacter(character)}"`, isLetIn))
        return false;
      index += character.length;
    }
  }

  /**
   * Checks the fragment, which is the last part of the text. RFC 1738 §2.2: "#" is "used in World Wide Web and in other
   * systems to delimit a URL from a fragment/anchor identifier".
   */
  checkFragment(): boolean {
    const { urlText: text, schemePartEnd } = this;
    const { length } = text;
    if (schemePartEnd === length) return true;
    const advice = 'write "%23", or pass the fragment separately';
    return (
      this.reportDeviation(FRAGMENT_FAULT, schemePartEnd, length - schemePartEnd, advice) &&
      this.checkCharacters(schemePartEnd + 1, length, fragmentCharacters)
    );
  }
}

/** True when modern mode accepts a character that RFC 1738 does not allow in the component. */
function isAccepted(
  fault: UrlFaultDefinition,
  character: string,
  tolerance: LenientCharacters = {},
): boolean {
  if (fault.code === "reserved") return tolerance.reserved?.includes(character) === true;
  if (fault === BACKSLASH_FAULT) return tolerance.backslash === true;
  if (fault.code === "unsafe") return tolerance.unsafe !== false;
  if (fault === CONTROL_CHARACTER_FAULT || fault === LONE_SURROGATE) return false;
  return fault === NON_ASCII || (tolerance.delimiters ?? tolerance.unsafe ?? true);
}

/** Returns the fault of a character that RFC 1738 does not allow in the component. */
function faultForCharacter(character: string, tolerance?: LenientCharacters): UrlFaultDefinition {
  const code = character.charCodeAt(0);
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return CONTROL_CHARACTER_FAULT;
  if (code >= 0x80) return isLoneSurrogate(character) ? LONE_SURROGATE : NON_ASCII;
  if (character === "%") return BAD_ESCAPE_FAULT;
  if (character === " ") return BLANK_FAULT;
  if (character === "\\") return BACKSLASH_FAULT;
  if ('"<>'.includes(character)) return DELIMITER_FAULT;
  if (character === "~") return TILDE_FAULT;
  if (nationalCharacters.includes(character)) return UNSAFE_CHARACTER_FAULT;
  const allowedByRfc = tolerance?.reserved?.includes(character) ? tolerance.reservedAllowedByRfc : undefined;
  return allowedByRfc === undefined
    ? RESERVED_CHARACTER_FAULT
    : { ...RESERVED_CHARACTER_FAULT, allowedByRfc };
}
