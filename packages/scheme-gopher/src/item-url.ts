import { type Decoded, percentEncode, type Syntax, xchar } from "@anyscheme/core/syntax";
import { type GopherName, type GopherParts, type GopherUrl, gophersSyntax, gopherSyntax } from "./syntax.ts";

const SYNTAXES: { readonly [Name in GopherName]: Syntax<GopherUrl<Name>, GopherParts> } = {
  gopher: gopherSyntax,
  gophers: gophersSyntax,
};

/** The same item with another Gopher+ string, as text or bytes. RFC 1738 §3.4.3. */
export function withPlus<Name extends GopherName>(url: GopherUrl<Name>, plus: Decoded): GopherUrl<Name> {
  return withFields(url, url.search ?? "", percentEncode(plus, xchar));
}

/** The same search with other words; a Gopher+ string stays. RFC 1738 §3.4.2. Throws `TypeError` for words with a tab. */
export function withSearch<Name extends GopherName>(url: GopherUrl<Name>, words: Decoded): GopherUrl<Name> {
  const search = percentEncode(words, xchar);
  if (search.includes("%09")) throw new TypeError("the words hold a tab, which ends a search string");
  return withFields(url, search, url.plus);
}

/** The fields as written. */
function withFields<Name extends GopherName>(
  url: GopherUrl<Name>,
  search: string,
  plus: string | undefined,
): GopherUrl<Name> {
  const syntax: Syntax<GopherUrl<Name>, GopherParts> = SYNTAXES[url.scheme];
  const { host, port, type = "1", selector = "" } = url;
  const place = port === undefined ? host : `${host}:${port}`;
  const string = plus === undefined ? "" : `%09${plus}`;
  const text = `${url.scheme}://${place}/${type}${selector}%09${search}${string}`;
  // What a form is filled in with may be long.
  const read = (each: string): GopherUrl<Name> => syntax.parse(each, { maxLength: Infinity });
  return read(syntax.format(read(text)));
}
