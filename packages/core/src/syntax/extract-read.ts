import type { Deviation } from "./deviation.ts";
import type { Extracted, ExtractOptions, UrlReader } from "./extract.ts";
import type { Place } from "./extract-scan.ts";
import type { Units } from "./extract-units.ts";
import { genericSyntax } from "./generic-url.ts";
import { Reading } from "./reading.ts";
import type { ParseOptions } from "./syntax.ts";

/** A hyphen at the end of a line, with the white space and the marks of a quotation around the line break. */
const hyphenAtLineEnd = /-[^\S\r\n]*[\r\n][\s>]*/;
/** Every ">" that is left inside a wrapper is the mark of a quotation. */
const ignored = /[\s>]+/g;

/** With more hyphens at line ends than this, either all of them are kept or none is: the readings double with each. */
const MOST_HYPHENS = 3;

/** Reads a place: usually one URL, more with a hyphen at a line end, none when no reading is a URL. */
export type PlaceReader = (units: Units, place: Place, unitsBefore: number) => readonly Extracted[];

export function createPlaceReader({ syntaxes, mode, onRefused }: ExtractOptions): PlaceReader {
  const generic: UrlReader = genericSyntax();
  const readers = new Map<string, UrlReader>(
    syntaxes.flatMap((syntax) => syntax.schemes.map((name) => [name, syntax] as const)),
  );
  const options: ParseOptions = mode === undefined ? {} : { mode };

  function parse(
    text: string,
    href: string,
    fragment: string | undefined,
  ): ReturnType<UrlReader["tryParse"]> {
    const scheme = href.slice(0, href.indexOf(":")).toLowerCase();
    const fault = fragment && new Reading(text, "tolerant", scheme).fault;
    if (fault) return { fault };
    // U+FFFD stands for octets that could not be decoded: no escapes can be written for them, so nothing may repair it.
    const lost = text.includes("\ufffd");
    return (readers.get(scheme) ?? generic).tryParse(href, lost ? { mode: "strict" } : options);
  }

  return (units, { start, end, wrapped }, unitsBefore) => {
    const written = units.text(start, end);
    const index = unitsBefore + start;
    const length = end - start;
    const readings: Extracted[] = [];
    let refused: { text: string; fault: Deviation } | undefined;
    for (const text of wrapped ? unfolded(written) : [written]) {
      const mark = text.indexOf("#");
      const fragment = mark < 0 ? undefined : text.slice(mark + 1);
      const { url, fault } = parse(text, mark < 0 ? text : text.slice(0, mark), fragment);
      if (fault) refused ??= { text, fault };
      else readings.push({ url, fragment, text, index, length, wrapped, alternative: readings.length > 0 });
    }
    if (readings.length === 0 && refused) onRefused?.({ ...refused, index, length, wrapped });
    return readings;
  };
}

/**
 * The text of a wrapped URL without its white space. "The interpreter of a URL containing a line break immediately after a
 * hyphen should ignore all unencoded whitespace around the line break, and should be aware that the hyphen may or may not
 * actually be part of the URL" (RFC 1738 Appendix).
 */
function unfolded(written: string): string[] {
  const [first = "", ...rest] = written.split(hyphenAtLineEnd).map((part) => part.replace(ignored, ""));
  if (rest.length > MOST_HYPHENS) return ["-", ""].map((hyphen) => [first, ...rest].join(hyphen));
  return rest.reduce((texts, part) => texts.flatMap((text) => [`${text}-${part}`, text + part]), [first]);
}
