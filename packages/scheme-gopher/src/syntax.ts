import {
  checkAuthority,
  percentDecode,
  type Decoded,
  defineSyntax,
  type Escape,
  type Fault,
  hostportSource,
  InternetUrl,
  MASK,
  type Diagnostics,
  type Syntax,
  invalidPartsError,
  writeAuthority,
  xchar,
} from "@anyscheme/core/syntax";

/** RFC 1738 §3.4.1: "If :<port> is omitted, the port defaults to 70." Servers with TLS listen there too and tell the two by the first byte. */
const DEFAULT_PORT = 70;

/** What separates the fields of a path. Every "%" of a checked path begins an escape, so that "%2509" holds none. */
const ENCODED_TAB = "%09";

/** What the Gopher+ string of a filled-in form begins with: the view, and that a block follows. RFC 1738 §3.4.9. */
const FORM_HEAD = /^(?:\+|%2B)[^]*?%09(?:1|%31)/i;

const BAD_GOPHERTYPE: Fault = ["bad-gophertype", "3.4.1", "the gophertype is a single character or escape"];
const TAB_IN_FIELD: Fault = [
  "tab-in-field",
  "3.4.1",
  "a tab ends a selector and a search string and is part of neither",
];

export type GopherName = "gopher" | "gophers";

/** The fields of a gopher path as written. RFC 1738 §3.4.1, §3.4.3. */
export interface GopherFields {
  readonly type: string | undefined;
  readonly selector: string | undefined;
  readonly search: string | undefined;
  readonly plus: string | undefined;
}

const NO_FIELDS: GopherFields = { type: undefined, selector: undefined, search: undefined, plus: undefined };

/** `gopher://<host>:<port>/<gophertype><selector>%09<search>%09<gopher+_string>`. RFC 1738 §3.4. */
export class GopherUrl<Name extends GopherName = GopherName> extends InternetUrl<Name> {
  /** All fields as one: `undefined` without the "/" after the host, which makes no difference to the meaning. RFC 1738 §3.1. */
  get urlPath(): string | undefined {
    return this.pathText;
  }

  /** All of them, cut out at once. */
  get fields(): GopherFields {
    const path = this.pathText;
    if (!path) return NO_FIELDS;
    const selectorAt = path.startsWith("%") ? 3 : 1;
    const type = path.slice(0, selectorAt);
    const others = path.slice(selectorAt);
    if (!others.includes(ENCODED_TAB)) return { type, selector: others, search: undefined, plus: undefined };
    const [selector, search, ...plus] = others.split(ENCODED_TAB);
    // RFC 1738 §3.4.9: the Gopher+ string of a form has tabs of its own.
    return {
      type,
      selector,
      search,
      plus: plus.length > 0 ? plus.join(ENCODED_TAB) : undefined,
    };
  }

  /** The gophertype as written, one character or one escape; `undefined` without a path. RFC 1738 §3.4.1. */
  get type(): string | undefined {
    return this.fields.type;
  }

  /** The selector as written; `undefined` without a path. RFC 1738 §3.4.1. */
  get selector(): string | undefined {
    return this.fields.selector;
  }

  /** The search string as written; `undefined` without its `%09`. RFC 1738 §3.4.2. */
  get search(): string | undefined {
    return this.fields.search;
  }

  /** The Gopher+ string as written; `undefined` without its `%09`. RFC 1738 §3.4.3. */
  get plus(): string | undefined {
    return this.fields.plus;
  }

  /** The item type that counts, one character for its byte: `type` decoded, `"1"` without a path. RFC 1738 §3.4.1. */
  get itemType(): string {
    return itemTypeIn(this.fields);
  }

  /** `href` with what a form is filled in with masked, since one of its answers may be a password. RFC 1738 §3.4.9. */
  override toString(): string {
    const { href, plus, end } = this;
    const head = plus === undefined ? undefined : FORM_HEAD.exec(plus)?.[0];
    if (plus === undefined || head === undefined) return href;
    return `${href.slice(0, end - plus.length + head.length)}${MASK}${href.slice(end)}`;
  }

  override components(): Readonly<Record<string, unknown>> {
    return { scheme: this.scheme, host: this.host, port: this.port, ...this.fields };
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }
}

/** The item type that counts: see {@link GopherUrl.itemType}. */
export function itemTypeIn({ type = "1" }: GopherFields): string {
  if (/^[!-~]$/.test(type)) return type;
  const [byte] = percentDecode(type);
  return String.fromCharCode(byte ?? 0);
}

/** What `build` takes: fields decoded, as text or bytes. No field at all gives an empty path. RFC 1738 §3.4. */
export interface GopherParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  /** One byte. Default `"1"` when there is any other field. */
  readonly type?: Decoded | undefined;
  /** Any bytes but tabs. Default: empty. */
  readonly selector?: Decoded | undefined;
  /** Any bytes but tabs. Default: empty when there is a Gopher+ string, else none. */
  readonly search?: Decoded | undefined;
  /** Any bytes. Default: none. */
  readonly plus?: Decoded | undefined;
}

/** `gopherurl = "gopher://" hostport [ / [ gtype [ selector [ "%09" search [ "%09" gopher+_string ] ] ] ] ]`. RFC 1738 §5. */
export const gopherSyntax: Syntax<GopherUrl<"gopher">, GopherParts> = syntaxOf("gopher");

/** The same over TLS, which RFC 1738 does not know. */
export const gophersSyntax: Syntax<GopherUrl<"gophers">, GopherParts> = syntaxOf("gophers");

function syntaxOf<Name extends GopherName>(name: Name): Syntax<GopherUrl<Name>, GopherParts> {
  return defineSyntax<GopherUrl<Name>, GopherParts>({
    schemes: [name],
    defaultPort: DEFAULT_PORT,
    // RFC 1738 §3.4.1: "The entire <gopher-path> may also be empty, in which case [...] the <gophertype> defaults to "1"."
    emptyPath: "1",
    schemepart: `//${hostportSource}(?:/${xchar.source})?`,
    diagnose(reading) {
      const slash = checkAuthority(reading, { login: false });
      return slash !== undefined && (slash === reading.end || checkPath(reading, slash + 1));
    },
    url: (text, deviations) => new GopherUrl<Name>(text, deviations),
    write(parts, escape) {
      const { host, port } = parts;
      const slash = parts instanceof GopherUrl && parts.urlPath === undefined ? "" : "/";
      return `${name}:${writeAuthority({ host, port }, escape)}${slash}${writePath(parts, escape)}`;
    },
  });
}

function checkPath(reading: Diagnostics, start: number): boolean {
  // A character beyond US-ASCII stands for several bytes, of which only the first would be the type once it is escaped.
  const point = start < reading.end ? (reading.text.codePointAt(start) ?? 0) : 0;
  if (point > 0x9f) {
    const length = point > 0xffff ? 2 : 1;
    return reading.reportFault(BAD_GOPHERTYPE, start, length, "write a character of US-ASCII or one escape");
  }
  return reading.check(start, reading.end, xchar);
}

function writePath({ type, selector, search, plus }: GopherParts, escape: Escape): string {
  if (type === undefined && selector === undefined && search === undefined && plus === undefined) return "";
  const field = (value: Decoded): string => {
    const written = escape(value, xchar);
    if (written.includes(ENCODED_TAB)) throw invalidPartsError(TAB_IN_FIELD, "leave the tab out");
    return written;
  };
  let path = writeType(type ?? "1", escape) + field(selector ?? "");
  if (search !== undefined || plus !== undefined) path += ENCODED_TAB + field(search ?? "");
  if (plus !== undefined) path += ENCODED_TAB + escape(plus, xchar);
  return path;
}

function writeType(type: Decoded, escape: Escape): string {
  const written = escape(type, xchar);
  if (!/^(?:%[0-9A-Fa-f]{2}|[^%])$/.test(written)) throw invalidPartsError(BAD_GOPHERTYPE, "give one byte");
  return written;
}
