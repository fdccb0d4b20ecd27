import type { ExtractOptions, UrlParser } from "./extract.ts";
import { genericSyntax } from "../syntax/generic-url.ts";
import type { ParseOptions, ParseResult } from "../syntax/syntax.ts";

const whiteSpace = /\s/;
/** A hyphen at the end of a line, with the white space and the marks of a quotation around the line break. */
const hyphenAtLineEnd = /-[^\S\r\n]*[\r\n][\s>]*/;
/** Every ">" that is left inside a wrapper is the mark of a quotation. */
const ignored = /[\s>]+/g;

/** The readings double with each hyphen at a line end; once there are so many, hyphens are kept. */
const MAX_ALTERNATIVES = 8;

/** Makes what parses the text of a place up to `mark`, where its fragment begins, or -1. */
export function createParser({
  syntaxes,
  mode,
}: ExtractOptions): (text: string, mark: number) => ParseResult {
  const generic: UrlParser = genericSyntax();
  const readers = new Map<string, UrlParser>();
  for (const syntax of syntaxes) for (const name of syntax.schemes) readers.set(name, syntax);
  const options: ParseOptions = mode === undefined ? {} : { mode };
  return (text, mark) => {
    const name = text.slice(0, text.indexOf(":"));
    // Most names come in lower case, and folding them costs more than the look-up.
    const reader = readers.get(name) ?? readers.get(name.toLowerCase()) ?? generic;
    // U+FFFD stands for bytes that could not be decoded: no escapes can be written for them, so nothing may repair it.
    const lost = text.includes("\ufffd");
    if (mark < 0 && !lost) return reader.tryParse(text, options);
    const whole = reader.tryParse(text, { mode: lost ? "strict" : "tolerant" });
    return whole.fault || mark < 0 ? whole : reader.tryParse(text.slice(0, mark), options);
  };
}

/**
 * The text of a wrapped URL without its white space. "The interpreter of a URL containing a line break immediately after a
 * hyphen should ignore all unencoded whitespace around the line break, and should be aware that the hyphen may or may not
 * actually be part of the URL" (RFC 1738 Appendix).
 */
export function unfoldLines(written: string): string[] {
  if (!whiteSpace.test(written)) return [written];
  if (!hyphenAtLineEnd.test(written)) return [written.replace(ignored, "")];
  const [first = "", ...rest] = written.split(hyphenAtLineEnd).map((part) => part.replace(ignored, ""));
  return rest.reduce(
    (texts, part) =>
      texts.length < MAX_ALTERNATIVES
        ? texts.flatMap((text) => [`${text}-${part}`, text + part])
        : texts.map((text) => `${text}-${part}`),
    [first],
  );
}
