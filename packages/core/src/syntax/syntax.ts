import { type Deviation, deviation, type Fault, UrlSyntaxError } from "./deviation.ts";
import { normalForm } from "./equality.ts";
import type { Escape } from "./internet-url.ts";
import { escapeDisallowed, percentEncode } from "./percent-encoding.ts";
import { checkArgument, checkOptions } from "../options/check-options.ts";
import { oneOf, type OptionTable, positive, string } from "../options/option-kinds.ts";
import { type Mode, Diagnostics } from "./diagnostics.ts";
import { type CheckedBy, checkedBy, markChecked, type Deviations, type Url } from "./url.ts";

/** The deviations of every conforming URL. */
const NO_DEVIATIONS: readonly Deviation[] = Object.freeze([]);

const MISSING_SCHEME: Fault = {
  code: "missing-scheme",
  section: "2.1",
  message: "a URL begins with a scheme name and a colon",
};
const BAD_SCHEME: Fault = {
  code: "bad-scheme",
  section: "2.1",
  message: "a scheme name consists of letters, digits, '+', '.' and '-'",
};
const WRONG_SCHEME: Fault = { code: "wrong-scheme", section: "2.1", message: "the URL is of another scheme" };
const WRAPPER_PREFIX: Fault = {
  code: "wrapper-prefix",
  section: "Appendix",
  message: "'URL:' is the prefix of a wrapper and no scheme",
};
/** The text is longer than `maxLength`. */
export const TOO_LONG: Fault = {
  code: "too-long",
  section: "2",
  message: "the URL is longer than the limit",
};

/** The longest URL that `parse` takes unless told otherwise, in UTF-16 units. */
export const MAX_URL_LENGTH = 65_536;

export interface ParseOptions {
  /** Default `"tolerant"`. */
  readonly mode?: Mode | undefined;
  /** Longest text in UTF-16 units. Default {@link MAX_URL_LENGTH}. */
  readonly maxLength?: number | undefined;
}

export const PARSE_OPTIONS: OptionTable<ParseOptions> = {
  mode: oneOf("tolerant", "strict"),
  maxLength: positive,
};

/**
 * What `tryParse` returns: a URL, or the first fault that the mode does not accept. The strict mode finds the fault when it is
 * read for the first time; whether there is a URL, `url` tells at once.
 */
export type ParseResult<U extends Url = Url> =
  { readonly url: U; readonly fault?: undefined } | { readonly url?: undefined; readonly fault: Deviation };

/** Whether relative references have a meaning in the scheme (RFC 1738 §2.3), and whether "?" ends the path. */
export type Hierarchy = "path" | "path-and-search";

/** A scheme's grammar: pure text in, immutable URL out, and back. */
export interface Syntax<U extends Url = Url, Parts = never> {
  /** The scheme names it reads, in lower case. */
  readonly schemes: readonly string[];
  readonly defaultPort?: number | undefined;
  readonly hierarchy?: Hierarchy | undefined;
  /** Throws `UrlSyntaxError`. RFC 1738 §2.1. */
  parse(text: string, options?: ParseOptions): U;
  /** Like `parse`, but returns the fault: throws nothing and builds no stack trace. */
  tryParse(text: string, options?: ParseOptions): ParseResult<U>;
  canParse(text: string, options?: ParseOptions): boolean;
  /** The URL as RFC 1738 writes it; `format(parse(u)) === u` for every conforming u. The fragment is left out. */
  format(url: U): string;
  /**
   * The normal form: the one text that equivalent URLs have in common, and the key to know them by. It is itself a URL
   * equivalent to them, and its own normal form; it conforms wherever `format` finds a form that does. Scheme and host are in
   * lower case, escapes have upper-case digits and stand for no unreserved character, the port has no leading zeros and is
   * left out where it is the default. Escapes of reserved, unsafe and control bytes stay, and so do dot segments. Without
   * the fragment, with the password. RFC 1738 §2.1, §2.2, §3.1.
   */
  normalize(url: U): string;
  /** Encodes decoded parts. Throws `UrlSyntaxError` when they make no URL of the scheme, for example by a bad host. */
  build(parts: Parts): U;
}

/** The definition of a scheme's syntax, for {@link defineSyntax}. */
export interface Grammar<U extends Url & Parts, Parts> {
  readonly schemes: readonly string[];
  readonly defaultPort?: number | undefined;
  readonly hierarchy?: Hierarchy | undefined;
  /**
   * The url-path that an empty or absent one stands for: `"1"` in `gopher://h/`. Default: none, so that `//h` and `//h/` are
   * different URLs. RFC 1738 §3.1: the "/" is "NOT part of the url-path".
   */
  readonly emptyPath?: string;
  /** The host, in lower case, that an empty one stands for. Default: none. */
  readonly emptyHost?: string;
  /** The production of what follows the colon, exactly, as the source of a regular expression composed as in the BNF. */
  readonly schemepart: string;
  /**
   * Says what is wrong with a text that the production does not accept: refuses it, or notes deviations. Accepts without a
   * deviation exactly what the production accepts. Returns false with the reading's fault.
   */
  diagnose(diagnostics: Diagnostics): boolean;
  /** Makes the URL of a text that has been checked. */
  url(text: string, deviations: Deviations): U;
  /** Writes a URL from its components, each of which goes through `escape`. Serves `format` and `build` alike. */
  write(parts: Parts, escape: Escape): string;
}

/** The fault or the deviations of a text. */
type ParseFindings = Pick<Diagnostics, "fault"> & Partial<Pick<Diagnostics, "deviations">>;

/** Makes a scheme's `Syntax` from its grammar. */
export function defineSyntax<U extends Url & Parts, Parts>(grammar: Grammar<U, Parts>): Syntax<U, Parts> {
  const ownScheme = new RegExp(`^${caseInsensitiveSource(grammar.schemes)}:`);
  // Made for the first text: an expression of this size takes as long as the import of a module.
  let production: RegExp | undefined;

  // The expression keeps a place to go back to for each turn of a repetition, and from some million turns on the engine throws.
  // `diagnose` accepts the same and reads any length.
  function conforms(text: string): boolean {
    production ??= new RegExp(`${ownScheme.source}${grammar.schemepart}$`);
    return text.length <= MAX_URL_LENGTH && production.test(text);
  }

  function tryParse(text: string, options?: ParseOptions): ParseResult<U> {
    checkArgument("parse", "text", text, string);
    if (options !== undefined) checkOptions("parse", options, PARSE_OPTIONS);
    const maxLength = options?.maxLength ?? MAX_URL_LENGTH;
    if (text.length > maxLength)
      return { fault: deviation(TOO_LONG, maxLength, text.length - maxLength, "raise maxLength") };
    if (conforms(text)) return { url: certified(text, NO_DEVIATIONS) };
    const mode = options?.mode ?? "tolerant";
    // In strict mode the expression has decided.
    if (mode === "strict" && text.length <= MAX_URL_LENGTH)
      return new LazyFaultResult(() => read(text, mode).fault);
    const { fault } = read(text, mode, false);
    return fault
      ? { fault }
      : { url: certified(text, () => Object.freeze(read(text, mode).deviations as Deviation[])) };
  }

  function certified(text: string, deviations: Deviations): U {
    const url = grammar.url(text, deviations);
    markChecked(url, certifier);
    return url;
  }

  /** Reads a text that does not conform, or is too long to tell: it is a fault, or a URL with deviations. */
  function read(text: string, mode: Mode, lists?: boolean): ParseFindings {
    if (!ownScheme.test(text)) return { fault: findSchemeFault(grammar.schemes, text) };
    const diagnostics = new Diagnostics(text, mode, text.indexOf(":") + 1, lists);
    const accepted = grammar.diagnose(diagnostics) && diagnostics.checkFragment();
    // What is wrong has to be found out: the production refuses the text.
    if (
      !diagnostics.fault &&
      (!accepted || (diagnostics.deviations.length === 0 && text.length <= MAX_URL_LENGTH))
    )
      throw new Error("refused without a fault");
    return diagnostics;
  }

  function parse(text: string, options?: ParseOptions): U {
    const result = tryParse(text, options);
    if (result.fault) throw new UrlSyntaxError(result.fault);
    return result.url;
  }

  /** A URL that this syntax has parsed as it is; of any other only the text counts. */
  function checked(url: U): U {
    return checkedBy(url) === certifier ? url : parse(url.href, { maxLength: Infinity });
  }

  function format(url: U): string {
    return url.deviations.length + url.alternativeHosts.length === 0
      ? url.href
      : grammar.write(url, escapeDisallowed);
  }

  const { schemes, defaultPort, hierarchy } = grammar;
  const syntax: Syntax<U, Parts> = {
    schemes,
    defaultPort,
    hierarchy,
    parse,
    tryParse,
    // Most texts conform, and no URL has to be made of them.
    canParse: (text, options) =>
      (options === undefined && text.length <= MAX_URL_LENGTH && conforms(text)) ||
      tryParse(text, options).url !== undefined,
    format: (url) => format(checked(url)),
    normalize: (url) => normalForm(grammar, checked(url)),
    build: (parts) => parse(grammar.write(parts, percentEncode), { mode: "strict" }),
  };
  // It certifies URLs of this grammar alone.
  const certifier: CheckedBy = { syntax, format: (url) => format(url as U) };
  return syntax;
}

/** The result of strict mode for a text that does not conform. It computes the fault on first use. */
class LazyFaultResult {
  readonly #explain: () => Deviation | undefined;
  #fault: Deviation | undefined;

  constructor(explain: () => Deviation | undefined) {
    this.#explain = explain;
  }

  get fault(): Deviation {
    return (this.#fault ??= this.#explain() as Deviation);
  }

  toJSON(): { readonly fault: Deviation } {
    return { fault: this.fault };
  }
}

/** Why a text has none of the schemes. Without names, every scheme is meant. RFC 1738 §2.1: `<scheme>:<scheme-specific-part>`. */
function findSchemeFault(schemes: readonly string[], text: string): Deviation {
  const advice = 'begin with a scheme, as in "ftp://"';
  const colon = text.indexOf(":");
  if (colon <= 0) return deviation(MISSING_SCHEME, 0, 0, advice);
  const stray = text.search(/[^A-Za-z0-9+.-]/);
  if (stray < colon) return deviation(BAD_SCHEME, stray, 1, advice);
  if (schemes.length === 0) return deviation(WRAPPER_PREFIX, 0, 4, 'leave the "URL:" out');
  return deviation(WRONG_SCHEME, 0, colon, `write "${schemes.join('" or "')}"`);
}

/** The names of schemes as the source of a regular expression that takes letters of either case. RFC 1738 §2.1. */
function caseInsensitiveSource(schemes: readonly string[]): string {
  // "URL:" is the prefix of a wrapper and no scheme, unless somebody registers it.
  if (schemes.length === 0) return "(?![Uu][Rr][Ll]:)[A-Za-z0-9+.-]+";
  const names = schemes.map((name) =>
    name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`).replace(/[+.]/g, "\\$&"),
  );
  return `(?:${names.join("|")})`;
}
