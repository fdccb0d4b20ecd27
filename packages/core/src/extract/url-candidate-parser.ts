import type { ExtractUrlsOptions, ExtractUrlsParser } from "./extract.ts";
import { createGenericSyntax } from "../syntax/generic-url.ts";
import type { UrlParseOptions, ParseResult } from "../syntax/syntax.ts";

const whiteSpace = /\s/;
/**
 * Matches a hyphen at a line end within a URL. The match of a hyphen at a line end includes white space and the ">" of
 * quoted mail around the line break.
 */
const hyphenAtLineEnd = /-[^\S\r\n]*[\r\n][\s>]*/;
/** Matches white space and the ">" of quoted mail inside `<URL:…>`. */
const blanksAndQuoteMarks = /[\s>]+/g;

/**
 * The maximum number of URLs that are tried for one candidate text. Each hyphen at a line end doubles the number of
 * tried URLs. When the number has reached the maximum, a further hyphen stays part of the URL.
 */
const MAX_HYPHEN_ALTERNATIVES = 8;

/**
 * Creates the function that parses a candidate text as a URL. `mark` is the index of the "#" before the fragment, or
 * -1.
 */
export function createUrlCandidateParser({
  syntaxes,
  mode,
}: ExtractUrlsOptions): (text: string, mark: number) => ParseResult {
  const generic: ExtractUrlsParser = createGenericSyntax();
  const readers = new Map<string, ExtractUrlsParser>();
  for (const syntax of syntaxes) for (const name of syntax.schemes) readers.set(name, syntax);
  const options: UrlParseOptions = mode === undefined ? {} : { mode };
  return (text, mark) => {
    const name = text.slice(0, text.indexOf(":"));
    // Most scheme names are in lower case, so the unconverted name is looked up first.
    const reader = readers.get(name) ?? readers.get(name.toLowerCase()) ?? generic;
    // U+FFFD replaces undecodable bytes. A text with U+FFFD cannot be repaired, because these bytes are lost.
    const lost = text.includes("\ufffd");
    if (mark < 0 && !lost) return reader.tryParse(text, options);
    const whole = reader.tryParse(text, { mode: lost ? "rfc1738" : "modern" });
    return whole.fault || mark < 0 ? whole : reader.tryParse(text.slice(0, mark), options);
  };
}

/**
 * Returns the texts that a URL on several lines may stand for: with and without each hyphen at a line end, and without
 * white space. "The interpreter of a URL containing a line break immediately after a hyphen should ignore all unencoded
 * whitespace around the line break, and should be aware that the hyphen may or may not actually be part of the URL"
 * (RFC 1738 Appendix).
 */
export function listPossibleJoinsOfUrlLines(written: string): string[] {
  if (!whiteSpace.test(written)) return [written];
  if (!hyphenAtLineEnd.test(written)) return [written.replace(blanksAndQuoteMarks, "")];
  const [first = "", ...rest] = written
    .split(hyphenAtLineEnd)
    .map((part) => part.replace(blanksAndQuoteMarks, ""));
  return rest.reduce(
    (texts, part) =>
      texts.length < MAX_HYPHEN_ALTERNATIVES
        ? texts.flatMap((text) => [`${text}-${part}`, text + part])
        : texts.map((text) => `${text}-${part}`),
    [first],
  );
}
