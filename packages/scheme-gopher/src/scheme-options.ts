import type { CoreLimits } from "@anyscheme/core";
import {
  type OptionTable,
  type OptionKind,
  createArrayOptionKind,
  createIntegerOptionKind,
  booleanOptionKind,
  certificatesOptionKind,
  createEnumOptionKind,
  stringOptionKind,
  createEitherOptionKind,
} from "@anyscheme/core/plugin";
import type { GopherPlusViewPreference } from "./gopher-plus/gopher-plus-view.ts";

/** Options of the scheme gopher, for a client or a single request. */
export interface GopherOptions {
  /**
   * The treatment of an empty search string before a Gopher+ string. RFC 1738 §3.4.3 requires the empty search string,
   * between two tabs. RFC 1738 §3.4.9 and the Gopher+ protocol omit the empty search string. Servers reject two
   * adjacent tabs except for searches (type 7), for which the client always sends the search string. Default `"omit"`.
   */
  readonly emptySearch?: "omit" | "send" | undefined;
  /**
   * `"undo"` removes the first dot of a text line that begins with two dots. RFC 1436 requires servers to double the
   * dots at line starts, but most servers do not. Default `"keep"`.
   */
  readonly doubledDots?: "keep" | "undo" | undefined;
  /**
   * The charset of texts and menus, by a name that `TextDecoder` accepts, as in `"koi8-r"`. By default, a text or menu
   * in valid UTF-8 is decoded as UTF-8, and any other as Latin-1.
   */
  readonly charset?: string | undefined;
  /**
   * The time for which a client with a cache uses a stored response again, in milliseconds. Default 0: the cache stores
   * no Gopher responses. Gopher has no validators, so the client does not notice a change during this time.
   */
  readonly cacheTtlMs?: number | undefined;
}

/** Options of the scheme gophers. */
export interface GophersOptions extends GopherOptions {
  /** PEM certificates that replace the built-in trusted certificates. */
  readonly ca?: string | readonly string[] | undefined;
}

/**
 * Options of a single request to a gopher or gophers URL. `accept` and `language` select the best view of an item whose
 * Gopher+ string is `+`. To compare the views, the client first requests the Gopher+ attributes of the item. Throws
 * `not-found` when no view of the item matches. RFC 1738 §3.4.8.
 */
export interface GopherRequestOptions extends GopherOptions, GopherPlusViewPreference {
  /**
   * Permits a gopher URL to submit the values of a form. A Gopher request without a form has only one line. RFC 1738
   * §3.4.9. Default false.
   */
  readonly allowForms?: boolean | undefined;
}

const charsetOption: OptionKind = {
  expects: 'the name of a charset that TextDecoder accepts, as "koi8-r"',
  accepts(value) {
    if (typeof value !== "string") return false;
    try {
      return new TextDecoder(value).encoding !== "";
    } catch {
      return false;
    }
  },
  messagesMayShowValue: true,
};

export const GOPHER_SCHEME_OPTION_KINDS: OptionTable<GopherOptions> = {
  emptySearch: createEnumOptionKind("omit", "send"),
  doubledDots: createEnumOptionKind("keep", "undo"),
  charset: charsetOption,
  cacheTtlMs: createIntegerOptionKind(0),
};

export const GOPHERS_SCHEME_OPTION_KINDS: OptionTable<GophersOptions> = {
  ...GOPHER_SCHEME_OPTION_KINDS,
  ca: certificatesOptionKind,
};

const stringOrArrayOption = createEitherOptionKind(
  stringOptionKind,
  createArrayOptionKind(stringOptionKind, "strings"),
);

export const GOPHER_REQUEST_OPTION_KINDS: OptionTable<GopherRequestOptions> = {
  ...GOPHER_SCHEME_OPTION_KINDS,
  accept: stringOrArrayOption,
  language: stringOrArrayOption,
  allowForms: booleanOptionKind,
};

/** The limits of a client that supports gopher URLs. */
export interface GopherLimits extends CoreLimits {
  /** The maximum length of a line of a menu in bytes. Default 4 096. */
  readonly maxGopherLineBytes: number;
  /** The maximum number of questions of a Gopher+ form. Default 1 000. */
  readonly maxFormQuestions: number;
}

declare module "@anyscheme/core" {
  interface ClientLimits extends GopherLimits {}
}

/** The default values of the limits that the scheme gopher adds to a client. */
export const DEFAULT_GOPHER_LIMITS: Readonly<Record<Exclude<keyof GopherLimits, keyof CoreLimits>, number>> =
  {
    maxGopherLineBytes: 4_096,
    maxFormQuestions: 1_000,
  };
