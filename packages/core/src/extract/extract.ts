import { type Deviation, deviation } from "../syntax/deviation.ts";
import { createParser, unfoldLines } from "./matcher.ts";
import { createScanner } from "./scanner.ts";
import { ByteUnits, TextUnits, type CodeUnits } from "./code-units.ts";
import { BAD_HOST } from "../syntax/host.ts";
import type { GenericUrl } from "../syntax/generic-url.ts";
import type { Mode } from "../syntax/diagnostics.ts";
import { checkOptions } from "../options/check-options.ts";
import { arrayOf, boolean, callback, number, objectWith, type OptionTable } from "../options/option-kinds.ts";
import { PARSE_OPTIONS, type ParseOptions, type ParseResult, TOO_LONG } from "../syntax/syntax.ts";
import type { Url } from "../syntax/url.ts";

/** What reads the URLs of some schemes: a `Syntax`, or a client, for all its schemes. */
export interface UrlParser<U extends Url = Url> {
  readonly schemes: readonly string[];
  tryParse(text: string, options?: ParseOptions): ParseResult<U>;
}

export interface ExtractOptions<R extends UrlParser = UrlParser> {
  /** The registered schemes. Other schemes are read by the generic syntax inside `<URL:…>`, and nowhere else. */
  readonly syntaxes: readonly R[];
  /** Whether URLs outside of `<URL:…>` count. Default true. */
  readonly bare?: boolean | undefined;
  /** Default: that of the syntaxes, which is `"tolerant"`. */
  readonly mode?: Mode | undefined;
  /**
   * The longest URL with the white space in it, in UTF-16 units or bytes like `index`; what is longer is refused. A stream
   * needs room for a chunk and twice as much. Default {@link MAX_EXTRACT_LENGTH}.
   */
  readonly maxLength?: number | undefined;
  /** Is told, in order, what stands in the place of a URL and is none. */
  readonly onInvalid?: ((refused: InvalidMatch) => void) | undefined;
}

/** The longest URL that is looked for in text unless told otherwise. */
export const MAX_EXTRACT_LENGTH = 4096;

/** A place in the text that was read. */
interface SourceRange {
  /** The URL without white space and line breaks, with its fragment. Like `url.href`, it may hold a password. */
  readonly text: string;
  /**
   * Where the URL begins: in UTF-16 units of a string, in bytes of an array or stream of bytes. The wrapper is not part of
   * it, "and should not be used in contexts in which delimiters are already specified" (RFC 1738 Appendix).
   */
  readonly index: number;
  /** Its length in the same units, with the white space inside it. */
  readonly length: number;
  /** Whether it stands in `<URL:…>`. */
  readonly wrapped: boolean;
}

/** A URL found in running text. */
export interface UrlMatch<U extends Url = Url> extends SourceRange {
  readonly url: U;
  /** What follows "#", which is no part of the URL; `""` is an empty fragment, `undefined` none. */
  readonly fragment: string | undefined;
  /**
   * Whether it is a second reading of the same place. A hyphen at a line end "may or may not actually be part of the URL"
   * (RFC 1738 Appendix): both readings are given, the one with the hyphen first, unless only one is a URL.
   */
  readonly alternative: boolean;
}

/** What stands in the place of a URL and is none. Of what is too long for one only the beginning is given. */
export interface InvalidMatch extends SourceRange {
  /** `index` counts in `text`. */
  readonly fault: Deviation;
}

const reader = /* @__PURE__ */ objectWith("a syntax or a client", {
  schemes: "object",
  tryParse: "function",
});

const EXTRACT_OPTIONS: OptionTable<ExtractOptions> = {
  syntaxes: arrayOf(reader, "syntaxes, as [httpSyntax, ftpSyntax]"),
  bare: boolean,
  mode: PARSE_OPTIONS.mode,
  maxLength: number,
  onInvalid: callback,
};

/** The type of the URLs that a syntax or a client gives. */
type UrlOf<R> = R extends UrlParser<infer U> ? U : never;

/**
 * The URLs in running text, in order. RFC 1738 Appendix.
 *
 * In `<URL:…>`, in any case and with white space after the colon or not, all white space is ignored, and in mail that quotes
 * by ">" the marks of the quotation too. Outside, a URL of a registered scheme ends at white space, a control character, one
 * of `" < > \`, a closing bracket that it did not open, or a character beyond US-ASCII that is no letter, mark or digit;
 * what is then left of `. , ; : ! ? * | ^`, backticks, opening brackets and a single `'` at its end is the sentence's. Angle
 * brackets without the prefix, as in `<http://…>`, end a URL too; its lines are joined when there is no other white space in it.
 * What is refused is passed over as a whole: no part of it is given for a URL. So is a URL that ends within its host, where the
 * text shows that the host goes on: behind a symbol, a backslash, or a blank before the rest of a name or of a login.
 *
 * A stream may be cut anywhere, and is read in constant memory; bytes are taken as UTF-8, and those that are not end a bare
 * URL and spoil a wrapped one. Throws `RangeError` for a `maxLength` below 1, and `TypeError` for a stream that changes between
 * text and bytes.
 */
export function extractUrls<const R extends UrlParser>(
  text: string | Uint8Array,
  options: ExtractOptions<R>,
): IterableIterator<UrlMatch<UrlOf<R> | GenericUrl>>;
export function extractUrls<const R extends UrlParser>(
  stream: ReadableStream<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: ExtractOptions<R>,
): AsyncIterableIterator<UrlMatch<UrlOf<R> | GenericUrl>>;
export function extractUrls(
  source: string | Uint8Array | ReadableStream<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: ExtractOptions,
): IterableIterator<UrlMatch> | AsyncIterableIterator<UrlMatch> {
  checkOptions("extractUrls", options, EXTRACT_OPTIONS, { required: ["syntaxes"] });
  const { bare = true, maxLength = MAX_EXTRACT_LENGTH } = options;
  if (!(maxLength >= 1)) throw new RangeError("maxLength is at least 1");
  const schemes = bare ? options.syntaxes.flatMap((syntax) => syntax.schemes) : [];
  const scanner = createScanner(schemes, maxLength);
  const parse = createParser(options);
  let unitsBefore = 0;

  function* found(units: CodeUnits, final: boolean): Generator<UrlMatch, void> {
    for (let place = scanner.next(units, final); place; place = scanner.next(units, final)) {
      const { start, end, wrapped, tooLong, folded, cut } = place;
      const written = units.text(start, end);
      const index = unitsBefore + start;
      const length = end - start;
      if (tooLong) {
        const [text = ""] = unfoldLines(written);
        const fault = deviation(TOO_LONG, text.length, 0, "end it before, or raise maxLength");
        options.onInvalid?.({ fault, text, index, length, wrapped });
        continue;
      }
      if (cut) {
        const fault = deviation(
          BAD_HOST,
          written.length,
          0,
          "write it as <URL:…>, without blanks in its host",
        );
        options.onInvalid?.({ fault, text: written, index, length, wrapped });
        continue;
      }
      let alternative = false;
      let refused: InvalidMatch | undefined;
      for (const text of wrapped || folded ? unfoldLines(written) : [written]) {
        const mark = text.indexOf("#");
        const { url, fault } = parse(text, mark);
        if (fault) {
          refused ??= { fault, text, index, length, wrapped };
          continue;
        }
        const fragment = mark < 0 ? undefined : text.slice(mark + 1);
        yield { url, fragment, text, index, length, wrapped, alternative };
        alternative = true;
      }
      if (refused && !alternative) options.onInvalid?.(refused);
    }
  }

  async function* foundIn(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<UrlMatch, void> {
    const text = new TextUnits("");
    const bytes = new ByteUnits(new Uint8Array());
    let units: CodeUnits<string> | CodeUnits<Uint8Array> = text;
    for await (const chunk of chunks) {
      if (typeof chunk === "string") (units = text).append(chunk);
      else (units = bytes).append(chunk);
      if (text.length > 0 && bytes.length > 0) throw new TypeError("a stream is of text or of bytes");
      for (const extracted of found(units, false)) yield extracted;
      const count = scanner.release();
      units.drop(count);
      unitsBefore += count;
    }
    for (const extracted of found(units, true)) yield extracted;
  }

  if (typeof source === "string") return found(new TextUnits(source), true);
  if (source instanceof Uint8Array) return found(new ByteUnits(source), true);
  return foundIn("getReader" in source ? chunksOf(source) : source);
}

/** Not every browser can iterate over a web stream. */
async function* chunksOf<T>(stream: ReadableStream<T>): AsyncGenerator<T, void> {
  const reader = stream.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel();
  }
}
