import { type UrlSyntaxDeviation, createDeviation } from "../syntax/faults/syntax-fault.ts";
import { createUrlCandidateParser, listPossibleJoinsOfUrlLines } from "./url-candidate-parser.ts";
import { createUrlScanner } from "./url-scanner.ts";
import {
  StreamedUtf8TextWindow,
  StreamedUtf16TextWindow,
  type StreamedTextWindow,
} from "./streamed-text-window.ts";
import { INVALID_HOST_FAULT } from "../syntax/host.ts";
import type { GenericUrl } from "../syntax/generic-url.ts";
import type { ParseMode } from "../syntax/faults/parse-fault-recorder.ts";
import { checkOptions } from "../options/check-options.ts";
import {
  createArrayOptionKind,
  booleanOptionKind,
  callbackOptionKind,
  numberOptionKind,
  createDuckTypeOptionKind,
  type OptionTable,
} from "../options/option-kinds.ts";
import {
  PARSE_OPTION_KINDS,
  type UrlParseOptions,
  type ParseResult,
  URL_TOO_LONG_FAULT,
} from "../syntax/syntax.ts";
import type { Url } from "../syntax/url.ts";

/** A parser for URLs of some schemes: a `Syntax`, or a client for all its schemes. */
export interface ExtractUrlsParser<U extends Url = Url> {
  readonly schemes: readonly string[];
  tryParse(text: string, options?: UrlParseOptions): ParseResult<U>;
}

export interface ExtractUrlsOptions<R extends ExtractUrlsParser = ExtractUrlsParser> {
  /**
   * The parsers of the registered schemes. URLs of unregistered schemes are found only inside `<URL:…>`, by the generic
   * syntax.
   */
  readonly syntaxes: readonly R[];
  /** True to also find URLs outside `<URL:…>`. Default true. */
  readonly bareUrls?: boolean | undefined;
  /** The mode of the URL parsers, as in `"rfc1738"`. Default: the mode of the syntaxes, which is `"modern"`. */
  readonly mode?: ParseMode | undefined;
  /**
   * The maximum length of a URL with its white space, in the units of `index`. A URL longer than `maxLength` is
   * reported as invalid. Reading a stream needs memory for one chunk and for twice `maxLength`. Default {@link
   * MAX_EXTRACTED_URL_LENGTH}.
   */
  readonly maxLength?: number | undefined;
  /** Called, in order, with each text that looks like a URL but is invalid. */
  readonly onInvalid?: ((refused: InvalidUrlMatch) => void) | undefined;
}

/** The default maximum length of a URL in a text. */
export const MAX_EXTRACTED_URL_LENGTH = 4096;

/** A range of the text that is searched for URLs. */
interface SourceRange {
  /**
   * The URL without white space and line breaks, with its fragment. The text may contain a password, as `url.href`
   * does.
   */
  readonly text: string;
  /**
   * The start of the URL, in UTF-16 units for text and in bytes for bytes. The range excludes the wrapper `<URL:…>`.
   * RFC 1738, Appendix: the wrapper "should not be used in contexts in which delimiters are already specified".
   */
  readonly index: number;
  /** The length of the URL in the units of `index`, including white space inside the URL. */
  readonly length: number;
  /** True for a URL inside `<URL:…>`. */
  readonly inUrlWrapper: boolean;
}

/** A URL found in running text. */
export interface UrlMatch<U extends Url = Url> extends SourceRange {
  readonly url: U;
  /** The text after "#", which is not part of the URL. `""` is an empty fragment, and `undefined` is no fragment. */
  readonly fragment: string | undefined;
  /**
   * True for a second or further way to read a URL with hyphens at line ends. A hyphen at a line end "may or may not
   * actually be part of the URL" (RFC 1738 Appendix). If both readings are valid URLs, the URL with the hyphen is
   * returned first.
   */
  readonly isAlternative: boolean;
}

/**
 * A text that looks like a URL but is invalid. The `text` of an invalid URL that is too long is shortened to the
 * maximum length of a URL.
 */
export interface InvalidUrlMatch extends SourceRange {
  /** The reason why the text is not a valid URL. The `index` of the fault is relative to `text`. */
  readonly fault: UrlSyntaxDeviation;
}

const urlParserOptionKind = /* @__PURE__ */ createDuckTypeOptionKind("a syntax or a client", {
  schemes: "object",
  tryParse: "function",
});

const EXTRACT_OPTIONS: OptionTable<ExtractUrlsOptions> = {
  syntaxes: createArrayOptionKind(urlParserOptionKind, "syntaxes, as [httpSyntax, ftpSyntax]"),
  bareUrls: booleanOptionKind,
  mode: PARSE_OPTION_KINDS.mode,
  maxLength: numberOptionKind,
  onInvalid: callbackOptionKind,
};

/** The type of the URLs that a syntax or a client parses. */
type UrlOf<R> = R extends ExtractUrlsParser<infer U> ? U : never;

/**
 * Returns the URLs in a text, in order. RFC 1738 Appendix.
 *
 * Inside `<URL:…>`, all white space is ignored, and so is the ">" at the beginning of lines of quoted mail. The prefix
 * `URL:` may be in upper or lower case, and white space may follow its colon.
 *
 * Outside `<URL:…>`, only URLs of registered schemes are found. A URL outside `<URL:…>` ends at:
 *
 * - white space, a control character, or one of `" < > \`,
 * - an unmatched closing bracket,
 * - a character beyond US-ASCII that is no letter, mark or digit.
 *
 * The characters `. , ; : ! ? * | ^`, backticks, opening brackets and a single `'` at the end of a URL belong to the
 * sentence. Angle brackets without `URL:`, as in `<http://…>`, end a URL too. Line breaks inside `<http://…>` are
 * removed if the URL has no other white space.
 *
 * An invalid URL is skipped as a whole: no part of it is returned. A URL is invalid if its host name evidently
 * continues after a symbol, a backslash, or a blank.
 *
 * The chunks of a stream may end anywhere, even within a URL. A stream is read in constant memory. Bytes are decoded as
 * UTF-8. Bytes that are not valid UTF-8 end a bare URL and make a URL inside `<URL:…>` invalid. Throws `RangeError` for
 * a `maxLength` below 1. Throws `TypeError` for a stream that changes between text and bytes.
 */
export function extractUrls<const R extends ExtractUrlsParser>(
  text: string | Uint8Array,
  options: ExtractUrlsOptions<R>,
): IterableIterator<UrlMatch<UrlOf<R> | GenericUrl>>;
export function extractUrls<const R extends ExtractUrlsParser>(
  stream: ReadableStream<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: ExtractUrlsOptions<R>,
): AsyncIterableIterator<UrlMatch<UrlOf<R> | GenericUrl>>;
export function extractUrls(
  source: string | Uint8Array | ReadableStream<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: ExtractUrlsOptions,
): IterableIterator<UrlMatch> | AsyncIterableIterator<UrlMatch> {
  checkOptions("extractUrls", options, EXTRACT_OPTIONS, { required: ["syntaxes"] });
  const { bareUrls = true, maxLength = MAX_EXTRACTED_URL_LENGTH } = options;
  if (!(maxLength >= 1)) throw new RangeError("maxLength must be at least 1");
  const schemes = bareUrls ? options.syntaxes.flatMap((syntax) => syntax.schemes) : [];
  const scanner = createUrlScanner(schemes, maxLength);
  const parse = createUrlCandidateParser(options);
  let unitsBefore = 0;

  function* scanText(units: StreamedTextWindow, final: boolean): Generator<UrlMatch, void> {
    for (
      let place = scanner.nextCandidate(units, final);
      place;
      place = scanner.nextCandidate(units, final)
    ) {
      const { start, end, isWrapped, isTooLong, isOnSeveralLines, isHostSplit } = place;
      const written = units.textBetween(start, end);
      const range = { index: unitsBefore + start, length: end - start, inUrlWrapper: isWrapped };
      if (isTooLong) {
        const [text = ""] = listPossibleJoinsOfUrlLines(written);
        const advice = "end the URL earlier, or raise maxLength";
        const fault = createDeviation(URL_TOO_LONG_FAULT, text.length, 0, advice);
        options.onInvalid?.({ fault, text, ...range });
        continue;
      }
      if (isHostSplit) {
        const advice = "write the URL as <URL:…>, without blanks in its host";
        const fault = createDeviation(INVALID_HOST_FAULT, written.length, 0, advice);
        options.onInvalid?.({ fault, text: written, ...range });
        continue;
      }
      let alternative = false;
      let refused: InvalidUrlMatch | undefined;
      for (const text of isWrapped || isOnSeveralLines ? listPossibleJoinsOfUrlLines(written) : [written]) {
        const mark = text.indexOf("#");
        const { url, fault } = parse(text, mark);
        if (fault) {
          refused ??= { fault, text, ...range };
          continue;
        }
        const fragment = mark < 0 ? undefined : text.slice(mark + 1);
        yield { url, fragment, text, ...range, isAlternative: alternative };
        alternative = true;
      }
      if (refused && !alternative) options.onInvalid?.(refused);
    }
  }

  async function* matchCandidate(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<UrlMatch, void> {
    const text = new StreamedUtf16TextWindow("");
    const bytes = new StreamedUtf8TextWindow(new Uint8Array());
    let units: StreamedTextWindow<string> | StreamedTextWindow<Uint8Array> = text;
    for await (const chunk of chunks) {
      if (typeof chunk === "string") (units = text).append(chunk);
      else (units = bytes).append(chunk);
      if (text.length > 0 && bytes.length > 0)
        throw new TypeError("a stream must contain only text or only bytes");
      for (const extracted of scanText(units, false)) yield extracted;
      const count = scanner.countDroppableUnits();
      units.dropFirstUnits(count);
      unitsBefore += count;
    }
    for (const extracted of scanText(units, true)) yield extracted;
  }

  if (typeof source === "string") return scanText(new StreamedUtf16TextWindow(source), true);
  if (source instanceof Uint8Array) return scanText(new StreamedUtf8TextWindow(source), true);
  return matchCandidate("getReader" in source ? splitIntoChunks(source) : source);
}

/** Yields the chunks of a web stream, over which some browsers cannot iterate. */
async function* splitIntoChunks<T>(stream: ReadableStream<T>): AsyncGenerator<T, void> {
  const reader = stream.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel();
  }
}
