import { AccessError, type CoreLimits } from "@anyscheme/core";
import {
  bytesToLatin1,
  decodeBinaryStringToText,
  createLimitError,
  type MaskableServerText,
  createMaskableServerText,
  toSingleLine,
} from "@anyscheme/core/plugin";

const LF = 0x0a;
const APOSTROPHE = 0x27;

/**
 * Matches a character that must be quoted in a Prospero message. The original Prospero software quotes a token from the
 * first special character to the end of the token.
 */
const CHARACTERS_TO_QUOTE = /[ \t\f\v\n\r/']/;

/**
 * Quotes a token for a Prospero message, as the original software does. The unquoted token has one character per byte.
 */
export function quoteToken(token: string): string {
  if (token === "") return "''";
  const start = token.search(CHARACTERS_TO_QUOTE);
  if (start < 0) return token;
  return `${token.slice(0, start)}'${token.slice(start).replaceAll("'", "''")}'`;
}

/**
 * True when a line of a Prospero message ends within a quotation. A doubled apostrophe in a Prospero line closes the
 * quotation and opens it again.
 */
export function isQuoteOpen(line: string): boolean {
  return line.split("'").length % 2 === 0;
}

/** Splits a Prospero line into tokens at blanks and tabs outside quotations, and unquotes them. */
export function splitAndUnquoteTokens(line: string): string[] {
  const tokens: string[] = [];
  let token: string | undefined;
  // An unquoted carriage return at the end of a Prospero line is part of the line end. Unquoted and quoted
  // parts of a Prospero line alternate.
  const parts = (line.endsWith("\r") ? line.slice(0, -1) : line).split("'");
  parts.forEach((part, index) => {
    if (index % 2 === 1) {
      token = (token ?? "") + part;
    } else if (part === "" && index > 0 && index < parts.length - 1) {
      // A doubled apostrophe in a Prospero line means a single apostrophe.
      token += "'";
    } else {
      const words = part.replaceAll("\t", " ").split(" ");
      words.forEach((word, position) => {
        if (position > 0 && token !== undefined) tokens.push(token);
        if (position > 0) token = undefined;
        if (word !== "") token = (token ?? "") + word;
      });
    }
  });
  if (token !== undefined) tokens.push(token);
  return tokens;
}

/** Converts bytes of the server, one character per byte, to text for an error message. */
export function decodeProsperoServerText(latin1: string): MaskableServerText {
  return createMaskableServerText(toSingleLine(decodeBinaryStringToText(latin1)));
}

/**
 * Matches a line of a Prospero reply that reports a failure or a warning. The original Prospero server does not quote
 * the texts of failures and warnings, even if they contain an apostrophe.
 */
const REPLY_LINE_WITHOUT_QUOTING = /^(?:(?:FAILURE|ERROR|VERSION-NOT-SUPPORTED)\b|WARNING\b[^\n]*\n?$)/;

/**
 * Throws `protocol` when the last line of a reply ends within a quotation. A quotation in a Prospero reply that is not
 * closed includes all lines after it.
 */
export function throwIfQuoteIsOpen(line: string): void {
  if (isQuoteOpen(line) && !REPLY_LINE_WITHOUT_QUOTING.test(line))
    throw new AccessError("protocol", [
      "the reply ends within a quotation: ",
      decodeProsperoServerText(line.slice(0, 200)),
    ]);
}

/**
 * Splits a Prospero reply into logical lines, from chunks of any size. A line of a Prospero reply ends at the first LF
 * that is not between apostrophes.
 */
export class ProsperoLineSplitter {
  readonly #limits: CoreLimits;
  /** The received beginning of the incomplete last line of the Prospero reply. */
  #line = "";
  #isQuoted = false;

  constructor(limits: CoreLimits) {
    this.#limits = limits;
  }

  /**
   * Adds received bytes to the incomplete line of a Prospero reply, and yields the completed lines without LF. Throws
   * `limit` at a line of a Prospero reply that is too long.
   */
  *push(bytes: Uint8Array): Generator<string> {
    const text = bytesToLatin1(bytes);
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] === APOSTROPHE) this.#isQuoted = !this.#isQuoted;
      if (bytes[at] !== LF || this.#isQuoted) continue;
      yield this.#append(text.slice(start, at));
      this.#line = "";
      start = at + 1;
    }
    this.#append(text.slice(start));
  }

  /**
   * Returns the text after the last line end, because the reply "VERSION-NOT-SUPPORTED" has no line end. Throws
   * `protocol` if a Prospero reply ends within a quotation.
   */
  end(): string {
    throwIfQuoteIsOpen(this.#line);
    return this.#line;
  }

  #append(text: string): string {
    this.#line += text;
    if (this.#line.length > this.#limits.maxListingLineBytes)
      throw createLimitError("maxListingLineBytes", this.#limits, "a line is too long");
    return this.#line;
  }
}
