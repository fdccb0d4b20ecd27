import { createClient } from "@anyscheme/core";
import { genericSyntax, type Syntax } from "@anyscheme/core/syntax";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { file } from "@anyscheme/scheme-others";
import fastUri from "fast-uri";
import { parse as parseWithUriJs } from "uri-js";
import { malformedUrl } from "./malformed.ts";
import { seeded } from "../measure/random.ts";
import { syntaxes } from "./syntaxes.ts";
import { conformingUrl } from "./urls.ts";

/**
 * Parses the URL at an index of a corpus. Its results are retained for a while, so that V8 cannot optimize the work
 * away.
 */
export interface Parser {
  readonly name: string;
  readonly parse: (index: number) => unknown;
}

/** Texts, and the syntax for the scheme of each. */
export interface Corpus {
  readonly texts: readonly string[];
  readonly readers: readonly Syntax[];
}

const STRICT = { mode: "strict" } as const;

/** Returns conforming URLs in a typical mix. */
export function conforming(count: number): Corpus {
  const random = seeded(1738);
  return corpus(count, () => conformingUrl(random));
}

/** Returns texts that strict mode rejects. */
export function malformed(count: number): Corpus {
  const random = seeded(8371);
  return corpus(count, () => malformedUrl(random));
}

function corpus(count: number, make: () => string): Corpus {
  // A clone has flat strings, while concatenated strings are trees in V8.
  const texts = structuredClone(Array.from({ length: count }, make));
  const byName = new Map(syntaxes.flatMap((syntax) => syntax.schemes.map((name) => [name, syntax] as const)));
  const generic = genericSyntax();
  return { texts, readers: texts.map((text) => byName.get(text.slice(0, text.indexOf(":"))) ?? generic) };
}

export const OURS = "tryParse, strict";
export const OURS_WITH_FAULT = "tryParse, strict, and its fault";
export const OUR_TEST = "canParse, strict";
export const NATIVE = "new URL";
export const NATIVE_TEST = "URL.canParse";
export const FAST_URI = "fast-uri 4";
export const URI_JS = "uri-js 4";

export function parsers({ texts, readers }: Corpus): Parser[] {
  const client = createClient({ schemes: [ftp(), http(), https(), gopher(), file()] });
  const text = (index: number): string => texts[index] ?? "";
  const fault = (index: number): unknown => {
    const result = readers[index]?.tryParse(text(index), STRICT);
    return result?.fault ?? result;
  };
  const components = (index: number): unknown => {
    const { url } = readers[index]?.tryParse(text(index), STRICT) ?? {};
    return url?.components();
  };
  return [
    { name: OURS, parse: (index) => readers[index]?.tryParse(text(index), STRICT) },
    { name: "tryParse, tolerant", parse: (index) => readers[index]?.tryParse(text(index)) },
    { name: "client.tryParse, strict", parse: (index) => client.tryParse(text(index), STRICT) },
    { name: "tryParse, strict, and components()", parse: components },
    { name: OURS_WITH_FAULT, parse: fault },
    { name: OUR_TEST, parse: (index) => readers[index]?.canParse(text(index), STRICT) },
    { name: NATIVE, parse: (index) => urlOrNothing(text(index)) },
    { name: "new URL, and eight getters", parse: (index) => eightGetters(urlOrNothing(text(index))) },
    { name: NATIVE_TEST, parse: (index) => URL.canParse(text(index)) },
    { name: FAST_URI, parse: (index) => fastUri.parse(text(index)) },
    { name: URI_JS, parse: (index) => parseWithUriJs(text(index)) },
  ];
}

function urlOrNothing(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function eightGetters(url: URL | undefined): unknown {
  if (!url) return undefined;
  const { protocol, username, password, hostname, port, pathname, search, hash } = url;
  return { protocol, username, password, hostname, port, pathname, search, hash };
}
