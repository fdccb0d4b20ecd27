import type { Entry } from "@anyscheme/core";
import { percentEncode, genericSyntax, type InternetUrl, type Url, xchar } from "@anyscheme/core/syntax";
import { type Decode, decoded, decoderOf, latin1ToBytes, decodeUtf8OrLatin1 } from "./charset.ts";
import { withSearch } from "./item-url.ts";
import type { GopherAttributes } from "./plus/attributes.ts";
import { type GopherName, gophersSyntax, gopherSyntax, GopherUrl } from "./syntax.ts";

/** Where a menu came from. */
export interface MenuOrigin {
  readonly scheme: GopherName;
  readonly host: string;
  readonly port: number;
  /** How its bytes become text. Default {@link decodeUtf8OrLatin1}. */
  readonly decode?: Decode | undefined;
}

/** The origin of a menu at this URL, in this charset. Throws `TypeError` for a charset that is not known. */
export function originOf(url: GopherUrl, charset: string | undefined): MenuOrigin {
  const { scheme, effectiveHost: host, effectivePort: port } = url;
  return { scheme, host, port, decode: decoderOf(charset) };
}

/** Where a line leads. RFC 1436 §3.9. */
export interface Place {
  /** The item type of the URL: for a line of type "+", that of the item it mirrors. */
  readonly urlType: string;
  /** One character a byte. */
  readonly selector: string;
  readonly host: string;
  /** Undefined in lines that need none. */
  readonly port: number | undefined;
}

/** What a line says of itself. */
export interface EntryInit {
  readonly name: string;
  readonly kind: string;
  readonly itemType: string;
  readonly plus?: "+" | "?" | undefined;
  readonly fault?: string | undefined;
  readonly attributes?: GopherAttributes | undefined;
}

const anySyntax = genericSyntax();

/** One line of a Gopher menu. RFC 1436 §3.9. */
export class GopherEntry implements Entry {
  /** The user display string; the whole line where there are no fields. */
  readonly name: string;
  /**
   * `text menu phone-book error binhex archive uuencoded search telnet binary mirror tn3270 image info html link sound document
   * movie unknown`; a link is an `h` line with a URL for its selector.
   */
  readonly kind: string;
  /** The first byte of the line, as a character. */
  readonly itemType: string;
  /** The selector as text; `url` has its bytes. `undefined` when the line has none. */
  readonly selector: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** The tag of a Gopher+ item; `?` for one with a form. RFC 1738 §3.4.4. */
  readonly plus: "+" | "?" | undefined;
  /** What is wrong with the line, which is then of kind `info`. */
  readonly fault: string | undefined;
  /** The attributes of the item, in the answer to a Gopher+ string that begins with `$`. RFC 1738 §3.4.6. */
  readonly attributes: GopherAttributes | undefined;
  readonly #place: Place | undefined;
  readonly #origin: MenuOrigin;
  #url: Url | undefined | null = null;

  constructor(init: EntryInit, place: Place | undefined, origin: MenuOrigin) {
    this.name = init.name;
    this.kind = init.kind;
    this.itemType = init.itemType;
    this.selector = place && decoded(place.selector, origin.decode ?? decodeUtf8OrLatin1);
    this.host = place?.host;
    this.port = place?.port;
    this.plus = init.plus;
    this.fault = init.fault;
    this.attributes = init.attributes;
    this.#place = place;
    this.#origin = origin;
  }

  /**
   * Where the entry leads: a gopher URL, a telnet or tn3270 URL, or what a selector `URL:…` names. `undefined` for lines that lead
   * nowhere, or where no URL can. A place on the server of the menu keeps the scheme of the menu.
   */
  get url(): Url | undefined {
    if (this.#url === null) this.#url = this.#place && this.#link(this.#place);
    return this.#url;
  }

  /** When the item was changed, where its attributes tell. */
  get modified(): Date | undefined {
    return this.attributes?.admin?.modified;
  }

  /**
   * The URL that submits a search to this entry, which has to be of kind `search`; else throws `TypeError`, as for words with a
   * tab. What separates words is for the server to say; nearly all take a blank. RFC 1738 §3.4.2.
   */
  search(words: string | Uint8Array): GopherUrl {
    const { url, kind } = this;
    if (kind !== "search" || !(url instanceof GopherUrl))
      throw new TypeError(`an entry of kind ${kind} takes no search`);
    return withSearch(url, words);
  }

  toJSON(): Record<string, unknown> {
    const { name, kind, itemType, selector, host, port, plus, fault, attributes, url } = this;
    return { name, kind, itemType, selector, host, port, plus, fault, attributes, url };
  }

  #link({ selector, host, port, urlType }: Place): Url | undefined {
    const { kind } = this;
    if (kind === "info" || kind === "error") return undefined;
    if (kind === "link") return foreignUrl(decoded(selector).slice("URL:".length));
    if (port === undefined) return undefined;
    const address = host.includes(":") ? `[${host}]` : host;
    if (kind === "telnet" || kind === "tn3270") {
      const login = selector === "" ? "" : `${percentEncode(latin1ToBytes(selector))}@`;
      return checked(anySyntax.tryParse(`${kind}://${login}${address}:${port}/`).url, address);
    }
    const origin = this.#origin;
    const stays = port === origin.port && host.toLowerCase() === origin.host;
    const syntax = stays && origin.scheme === "gophers" ? gophersSyntax : gopherSyntax;
    const place = port === syntax.defaultPort ? address : `${address}:${port}`;
    const path =
      percentEncode(latin1ToBytes(urlType + selector), xchar) +
      (this.plus === undefined ? "" : `%09%09${this.plus}`);
    return checked(syntax.tryParse(`${syntax.schemes[0]}://${place}/${path}`).url, address);
  }
}

function foreignUrl(text: string): Url | undefined {
  for (const syntax of [gopherSyntax, gophersSyntax, anySyntax]) {
    const { url, fault } = syntax.tryParse(text);
    if (url) return url;
    if (fault.code !== "wrong-scheme") return undefined;
  }
  return undefined;
}

/** The URL, unless a server wrote more than a host into the field of the host. */
function checked(url: InternetUrl | undefined, host: string): Url | undefined {
  return url?.host === host ? url : undefined;
}
