import { createClient } from "@anyscheme/core";
import { createGenericSyntax, type Syntax, type Url } from "@anyscheme/core/syntax";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http, https, type HttpUrl } from "@anyscheme/scheme-http";
import { file } from "@anyscheme/scheme-others";
import fastUri from "fast-uri";
import { parse as parseWithUriJs } from "uri-js";
import { generateMalformedUrl } from "./generate-malformed-urls.ts";
import { createSeededRandom } from "../measure/seeded-random.ts";
import { benchmarkedSyntaxes } from "./benchmarked-syntaxes.ts";
import { generateConformingUrl } from "./generate-urls.ts";

/**
 * Parses the URL at an index of the corpus. The caller retains the latest results, so that V8 cannot optimize
 * the parsing away.
 */
export interface ComparedParser {
  readonly name: string;
  readonly parse: (index: number) => unknown;
}

/** The texts of a benchmark, and the syntax of each text's scheme. */
export interface UrlCorpus {
  readonly urlTexts: readonly string[];
  readonly syntaxOfEachUrl: readonly Syntax[];
}

const RFC1738_MODE = { mode: "rfc1738" } as const;

/** Returns conforming URLs with a typical distribution of schemes. */
export function createConformingUrlCorpus(count: number): UrlCorpus {
  const random = createSeededRandom(1738);
  return createCorpus(count, () => generateConformingUrl(random));
}

/** Returns malformed URLs, all of which the mode rfc1738 rejects. */
export function createMalformedUrlCorpus(count: number): UrlCorpus {
  const random = createSeededRandom(8371);
  return createCorpus(count, () => generateMalformedUrl(random));
}

/** Returns the http and https URLs of a corpus. */
export function selectHttpUrls({ urlTexts, syntaxOfEachUrl }: UrlCorpus): UrlCorpus {
  const isHttpUrl = (_: unknown, index: number): boolean => /^https?:/.test(urlTexts[index] ?? "");
  return { urlTexts: urlTexts.filter(isHttpUrl), syntaxOfEachUrl: syntaxOfEachUrl.filter(isHttpUrl) };
}

function createCorpus(count: number, make: () => string): UrlCorpus {
  // V8 stores concatenated strings as trees. Cloning the texts replaces V8's trees of concatenated strings by flat
  // strings.
  const texts = structuredClone(Array.from({ length: count }, make));
  const byName = new Map(
    benchmarkedSyntaxes.flatMap((syntax) => syntax.schemes.map((name) => [name, syntax] as const)),
  );
  const generic = createGenericSyntax();
  return {
    urlTexts: texts,
    syntaxOfEachUrl: texts.map((text) => byName.get(text.slice(0, text.indexOf(":"))) ?? generic),
  };
}

export const ANYSCHEME_PARSER_NAME = "tryParse, mode rfc1738";
export const ANYSCHEME_MODERN_PARSER_NAME = "tryParse";
export const ANYSCHEME_FAULT_READING_PARSER_NAME = "tryParse, mode rfc1738, and reading the fault";
export const ANYSCHEME_CAN_PARSE_NAME = "canParse";
export const ANYSCHEME_FORMATTER_NAME = "format(parse(text))";
export const NATIVE_URL_FORMATTER_NAME = "new URL, and reading href";
export const NATIVE_URL_PARSER_NAME = "new URL";
export const ANYSCHEME_GETTER_READING_PARSER_NAME = "tryParse, and reading five getters";
export const NATIVE_GETTER_READING_PARSER_NAME = "new URL, and reading five getters";
export const NATIVE_URL_CAN_PARSE_NAME = "URL.canParse";
export const FAST_URI_PARSER_NAME = "fast-uri 4";
export const URI_JS_PARSER_NAME = "uri-js 4";

export function createComparedParsers({ urlTexts: texts, syntaxOfEachUrl }: UrlCorpus): ComparedParser[] {
  const client = createClient({ schemes: [ftp(), http(), https(), gopher(), file()] });
  const text = (index: number): string => texts[index] ?? "";
  const fault = (index: number): unknown => {
    const result = syntaxOfEachUrl[index]?.tryParse(text(index), RFC1738_MODE);
    return result?.fault ?? result;
  };
  const components = (index: number): unknown => {
    const { url } = syntaxOfEachUrl[index]?.tryParse(text(index), RFC1738_MODE) ?? {};
    return url?.components();
  };
  const format = (index: number): string | undefined => {
    const url = syntaxOfEachUrl[index]?.tryParse(text(index)).url;
    return url && syntaxOfEachUrl[index]?.format(url);
  };
  return [
    {
      name: ANYSCHEME_PARSER_NAME,
      parse: (index) => syntaxOfEachUrl[index]?.tryParse(text(index), RFC1738_MODE),
    },
    { name: ANYSCHEME_MODERN_PARSER_NAME, parse: (index) => syntaxOfEachUrl[index]?.tryParse(text(index)) },
    {
      name: "client.tryParse, mode rfc1738",
      parse: (index) => client.tryParse(text(index), RFC1738_MODE),
    },
    { name: "tryParse, mode rfc1738, and components()", parse: components },
    {
      name: ANYSCHEME_GETTER_READING_PARSER_NAME,
      parse: (index) => readRequestComponents(syntaxOfEachUrl[index]?.tryParse(text(index)).url),
    },
    { name: ANYSCHEME_FAULT_READING_PARSER_NAME, parse: fault },
    { name: ANYSCHEME_CAN_PARSE_NAME, parse: (index) => syntaxOfEachUrl[index]?.canParse(text(index)) },
    { name: ANYSCHEME_FORMATTER_NAME, parse: format },
    { name: NATIVE_URL_FORMATTER_NAME, parse: (index) => parseWithNativeUrl(text(index))?.href },
    { name: NATIVE_URL_PARSER_NAME, parse: (index) => parseWithNativeUrl(text(index)) },
    {
      name: NATIVE_GETTER_READING_PARSER_NAME,
      parse: (index) => readNativeRequestComponents(parseWithNativeUrl(text(index))),
    },
    {
      name: "new URL, and reading eight getters",
      parse: (index) => readNativeUrlComponents(parseWithNativeUrl(text(index))),
    },
    { name: NATIVE_URL_CAN_PARSE_NAME, parse: (index) => URL.canParse(text(index)) },
    { name: FAST_URI_PARSER_NAME, parse: (index) => fastUri.parse(text(index)) },
    { name: URI_JS_PARSER_NAME, parse: (index) => parseWithUriJs(text(index)) },
  ];
}

function parseWithNativeUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Reads the five components of a parsed URL that a program needs for an HTTP request. */
function readRequestComponents(url: Url | undefined): unknown {
  if (!url) return undefined;
  const { scheme, host, port, path, search } = url as Url & Partial<Omit<HttpUrl, "scheme">>;
  return { scheme, host, port, path, search };
}

function readNativeRequestComponents(url: URL | undefined): unknown {
  if (!url) return undefined;
  const { protocol, hostname, port, pathname, search } = url;
  return { protocol, hostname, port, pathname, search };
}

function readNativeUrlComponents(url: URL | undefined): unknown {
  if (!url) return undefined;
  const { protocol, username, password, hostname, port, pathname, search, hash } = url;
  return { protocol, username, password, hostname, port, pathname, search, hash };
}
