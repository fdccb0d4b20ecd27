import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";
import type { ViewPreference } from "./gopher-plus/view.ts";

/** Options of the scheme gopher, for all calls or for one. */
export interface GopherOptions {
  /**
   * What becomes of an empty search string before a Gopher+ string. RFC 1738 §3.4.3 sends two tabs, §3.4.9 and the protocol
   * one, and servers refuse two except for searches (type 7), whose field is always sent. Default `"omit"`.
   */
  readonly emptySearch?: "omit" | "send" | undefined;
  /**
   * Whether the second dot of a text line that begins with two is taken away. RFC 1436 has servers double such dots; most do
   * not. Default `"keep"`.
   */
  readonly doubledDots?: "keep" | "undo" | undefined;
  /**
   * The charset of texts and menus, by a name that `TextDecoder` knows, as in `"koi8-r"`. Default: UTF-8 what is valid UTF-8, else
   * Latin-1.
   */
  readonly charset?: string | undefined;
}

/** Options of the scheme gophers. */
export interface GophersOptions extends GopherOptions {
  /** PEM certificates trusted instead of the built-in ones. */
  readonly ca?: string | readonly string[] | undefined;
}

/**
 * Options of one call. With `accept` or `language` an item whose Gopher+ string is `+` comes in the view that suits best, for which
 * its attributes are asked for first; `not-found` when none does. RFC 1738 §3.4.8.
 */
export interface GopherRequestOptions extends GopherOptions, ViewPreference {
  /** Whether the answers of a form may be sent, which are the only lines beyond the first. RFC 1738 §3.4.9. Default false. */
  readonly allowForms?: boolean | undefined;
}

const charset: kind.OptionKind = {
  expects: 'the name of a charset that TextDecoder knows, as "koi8-r"',
  accepts(value) {
    if (typeof value !== "string") return false;
    try {
      return new TextDecoder(value).encoding !== "";
    } catch {
      return false;
    }
  },
  isPublic: true,
};

export const GOPHER_OPTIONS: OptionTable<GopherOptions> = {
  emptySearch: kind.oneOf("omit", "send"),
  doubledDots: kind.oneOf("keep", "undo"),
  charset,
};

export const GOPHERS_OPTIONS: OptionTable<GophersOptions> = { ...GOPHER_OPTIONS, ca: kind.certificates };

const strings = kind.either(kind.string, kind.arrayOf(kind.string, "strings"));

export const GOPHER_CALL_OPTIONS: OptionTable<GopherRequestOptions> = {
  ...GOPHER_OPTIONS,
  accept: strings,
  language: strings,
  allowForms: kind.boolean,
};
