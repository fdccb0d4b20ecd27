import type { DirectoryEntry } from "@anyscheme/core";
import { latin1ToBytes, decodeBinaryStringToText } from "@anyscheme/core/plugin";
import {
  percentEncode,
  createGenericSyntax,
  type InternetUrl,
  type Url,
  xchar,
} from "@anyscheme/core/syntax";
import type { GopherAttributes } from "../gopher-plus/attributes.ts";
import {
  type GopherSchemeName,
  gophersSyntax,
  gopherSyntax,
  GopherUrl,
  replaceSearchString,
} from "../syntax.ts";

/** The server of a Gopher menu, and the decoder of its texts. */
export interface GopherMenuContext {
  readonly scheme: GopherSchemeName;
  readonly host: string;
  readonly port: number;
  /** Decodes a text of the menu that has one character per byte. */
  readonly decodeText: (latin1: string) => string;
}

/** Returns the server and the text decoder of the menu at this URL. Throws `TypeError` for an unknown charset. */
export function createGopherMenuContext(url: GopherUrl, charset: string | undefined): GopherMenuContext {
  const { scheme, effectiveHost: host, effectivePort: port } = url;
  return { scheme, host, port, decodeText: createLatin1Decoder(charset) };
}

/**
 * Returns a decoder for strings of one character per byte. The default charset is UTF-8 for valid UTF-8, and Latin-1
 * for other bytes.
 */
function createLatin1Decoder(charset: string | undefined): (latin1: string) => string {
  if (charset === undefined) return decodeBinaryStringToText;
  try {
    const decoder = new TextDecoder(charset);
    return (latin1) => decoder.decode(latin1ToBytes(latin1));
  } catch (cause) {
    throw new TypeError(`there is no charset named ${charset}`, { cause });
  }
}

/** The server, the selector and the type of the item in a menu line. RFC 1436 §3.9. */
export interface GopherItemTarget {
  /** The Gopher item type in the URL of the entry. A mirror (type "+") has the item type of the mirrored item. */
  readonly urlItemType: string;
  /** The selector with one character per byte. */
  readonly selector: string;
  readonly host: string;
  /** The port. `undefined` in menu lines without a port, such as information lines. */
  readonly port: number | undefined;
}

/** The fields of a Gopher menu entry that its menu line contains. */
type GopherEntryInit = Pick<GopherEntry, "name" | "kind" | "itemType"> &
  Partial<Pick<GopherEntry, "plus" | "fault" | "attributes">>;

const genericUrlSyntax = createGenericSyntax();

/** A line of a Gopher menu. RFC 1436 §3.9. */
export class GopherEntry implements DirectoryEntry {
  /** The text that the menu displays, or the whole line if the line has no fields. */
  readonly name: string;
  /**
   * The kind of the Gopher item: `text`, `menu`, `phone-book`, `error`, `binhex`, `archive`, `uuencoded`, `search`,
   * `telnet`, `binary`, `mirror`, `tn3270`, `image`, `info`, `html`, `link`, `sound`, `document`, `movie` or `unknown`.
   * A link is an `h` line whose selector consists of `URL:` and a URL.
   */
  readonly kind: string;
  /**
   * The item type: the first byte of the menu line, as a character. The item type is `i` for a menu line without
   * fields.
   */
  readonly itemType: string;
  /**
   * The selector decoded as text, or `undefined` for a line without a selector. The field `url` contains the bytes of
   * the selector.
   */
  readonly selector: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  /**
   * The Gopher+ tag of the menu line: `?` for an item with a form, and `+` for other Gopher+ items. RFC 1738 §3.4.4.
   */
  readonly plus: "+" | "?" | undefined;
  /** The reason why the menu line is invalid. The entry of an invalid line has the kind `info`. */
  readonly fault: string | undefined;
  /** The attributes of the item, which the server sends for a Gopher+ string that begins with `$`. RFC 1738 §3.4.6. */
  readonly attributes: GopherAttributes | undefined;
  readonly #target: GopherItemTarget | undefined;
  readonly #origin: GopherMenuContext;
  #url: Url | undefined | null = null;

  constructor(init: GopherEntryInit, target: GopherItemTarget | undefined, origin: GopherMenuContext) {
    this.name = init.name;
    this.kind = init.kind;
    this.itemType = init.itemType;
    this.selector = target && origin.decodeText(target.selector);
    this.host = target?.host;
    this.port = target?.port;
    this.plus = init.plus;
    this.fault = init.fault;
    this.attributes = init.attributes;
    this.#target = target;
    this.#origin = origin;
  }

  /**
   * The URL of the item that the menu entry names. The scheme is gopher, gophers, telnet, tn3270, or the scheme of the
   * URL in a selector `URL:…`. The URL is `undefined` for a menu line without a target, or with a target that no URL
   * can express. The URL of an item on the same server has the scheme of the menu's URL.
   */
  get url(): Url | undefined {
    if (this.#url === null) this.#url = this.#target && this.#buildUrl(this.#target);
    return this.#url;
  }

  /** The modification date of the item, from its Gopher+ attributes. */
  get modified(): Date | undefined {
    return this.attributes?.admin?.modified;
  }

  /**
   * Returns the URL that searches this Gopher search item for the given words. Throws `TypeError` for an entry of
   * another kind than `search`, and for words with a tab. Nearly all servers expect a blank between two search words.
   * RFC 1738 §3.4.2.
   */
  search(words: string | Uint8Array): GopherUrl {
    const { url, kind } = this;
    if (kind !== "search" || !(url instanceof GopherUrl))
      throw new TypeError(`an entry of the kind ${kind} cannot be searched`);
    return replaceSearchString(url, words);
  }

  toJSON(): Record<string, unknown> {
    const { name, kind, itemType, selector, host, port, plus, fault, attributes, url } = this;
    return { name, kind, itemType, selector, host, port, plus, fault, attributes, url };
  }

  #buildUrl({ selector, host, port, urlItemType }: GopherItemTarget): Url | undefined {
    const { kind } = this;
    if (kind === "info" || kind === "error") return undefined;
    if (kind === "link") return parseLinkUrl(decodeBinaryStringToText(selector).slice("URL:".length));
    if (port === undefined) return undefined;
    const address = host.includes(":") ? `[${host}]` : host;
    if (kind === "telnet" || kind === "tn3270") {
      const login = selector === "" ? "" : `${percentEncode(latin1ToBytes(selector))}@`;
      return keepUrlOfSameHost(
        genericUrlSyntax.tryParse(`${kind}://${login}${address}:${port}/`).url,
        address,
      );
    }
    const origin = this.#origin;
    const isSameServer = port === origin.port && host.toLowerCase() === origin.host;
    const syntax = isSameServer && origin.scheme === "gophers" ? gophersSyntax : gopherSyntax;
    const hostport = port === syntax.defaultPort ? address : `${address}:${port}`;
    const path =
      percentEncode(latin1ToBytes(urlItemType + selector), xchar) +
      (this.plus === undefined ? "" : `%09%09${this.plus}`);
    return keepUrlOfSameHost(syntax.tryParse(`${syntax.schemes[0]}://${hostport}/${path}`).url, address);
  }
}

/** Parses the URL in a selector `URL:…`, of any scheme. */
function parseLinkUrl(text: string): Url | undefined {
  for (const syntax of [gopherSyntax, gophersSyntax, genericUrlSyntax]) {
    const { url, fault } = syntax.tryParse(text);
    if (url) return url;
    if (fault.code !== "wrong-scheme") return undefined;
  }
  return undefined;
}

/** Returns the URL, or `undefined` if the host field of the menu line contains more than a host name. */
function keepUrlOfSameHost(url: InternetUrl | undefined, host: string): Url | undefined {
  return url?.host === host ? url : undefined;
}
