import {
  type UrlSyntaxDeviation,
  createDeviation,
  type UrlFaultDefinition,
  UrlSyntaxError,
} from "./faults/syntax-fault.ts";
import { trimWhiteSpace } from "./characters/characters.ts";
import { normalizeUrl } from "./normalize-url.ts";
import { type ComponentEscaper, hostportRegExpSource, InternetUrl } from "./internet-url.ts";
import { escapeDisallowed, percentEncode } from "./characters/percent-encoding.ts";
import { formatUrlAsRfc3986 } from "./characters/format-url-as-rfc3986.ts";
import { checkArgument, checkOptions } from "../options/check-options.ts";
import {
  createEnumOptionKind,
  type OptionTable,
  positiveNumberOptionKind,
  stringOptionKind,
} from "../options/option-kinds.ts";
import { type ParseMode, ParseDiagnostics } from "./faults/parse-fault-recorder.ts";
import {
  type SyntaxOfCheckedUrl,
  getSyntaxOfCheckedUrl,
  getUrlTextIfConforming,
  setSyntaxOfCheckedUrl,
  type LazyDeviations,
  type Url,
} from "./url.ts";

/** The empty list of deviations of all conforming URLs. */
const NO_DEVIATIONS: readonly UrlSyntaxDeviation[] = Object.freeze([]);

const MISSING_SCHEME: UrlFaultDefinition = {
  code: "missing-scheme",
  section: "2.1",
  message: "a URL begins with a scheme name and a colon",
};
const BAD_SCHEME: UrlFaultDefinition = {
  code: "bad-scheme",
  section: "2.1",
  message: "a scheme name consists of letters, digits, '+', '.' and '-'",
};
const WRONG_SCHEME: UrlFaultDefinition = {
  code: "wrong-scheme",
  section: "2.1",
  message: "the URL is of another scheme",
};
const WRAPPER_PREFIX: UrlFaultDefinition = {
  code: "wrapper-prefix",
  section: "Appendix",
  message: "'URL:' is the prefix of a wrapper and no scheme",
};
export const URL_TOO_LONG_FAULT: UrlFaultDefinition = {
  code: "too-long",
  section: "2",
  message: "the URL is longer than the limit",
};

/** The default maximum length of a URL for `parse`, in UTF-16 units. */
export const DEFAULT_MAX_URL_LENGTH = 65_536;

export interface UrlParseOptions {
  /** The mode of the URL parser: today's URLs, or only those of RFC 1738. Default `"modern"`. */
  readonly mode?: ParseMode | undefined;
  /** The maximum length of the URL text in UTF-16 units. Default {@link DEFAULT_MAX_URL_LENGTH}. */
  readonly maxLength?: number | undefined;
}

export const PARSE_OPTION_KINDS: OptionTable<UrlParseOptions> = {
  mode: createEnumOptionKind("modern", "rfc1738"),
  maxLength: positiveNumberOptionKind,
};

/**
 * The result of `tryParse`: a URL, or the first fault that the mode does not accept. The mode `rfc1738` computes the
 * fault when a program first reads `fault`. The property `url` is computed before `tryParse` returns.
 */
export type ParseResult<U extends Url = Url> =
  | { readonly url: U; readonly fault?: undefined }
  | { readonly url?: undefined; readonly fault: UrlSyntaxDeviation };

/** The kind of relative references in a scheme. With `path-and-search`, "?" ends the path. RFC 1738 §2.3. */
export type UrlHierarchy = "path" | "path-and-search";

/** The options of `format`. */
export interface UrlFormatOptions {
  /**
   * The standard in whose form `format` writes the URL. `"rfc3986"` keeps more characters unescaped, such as "~", and
   * the login of an http URL. Default `"rfc1738"`.
   */
  readonly as?: "rfc1738" | "rfc3986" | undefined;
}

const FORMAT_OPTIONS: OptionTable<UrlFormatOptions> = { as: createEnumOptionKind("rfc1738", "rfc3986") };

/** The parser and formatter of a scheme's URLs. */
export interface Syntax<U extends Url = Url, Parts = never> {
  /** The scheme names in lower case. */
  readonly schemes: readonly string[];
  readonly defaultPort?: number | undefined;
  readonly hierarchy?: UrlHierarchy | undefined;
  /** Parses a URL. Throws `UrlSyntaxError`. RFC 1738 §2.1. */
  parse(text: string, options?: UrlParseOptions): U;
  /** Parses a URL. Returns a fault instead of throwing an error, without a stack trace. */
  tryParse(text: string, options?: UrlParseOptions): ParseResult<U>;
  canParse(text: string, options?: UrlParseOptions): boolean;
  /**
   * Returns the URL without the fragment, by default in the form of RFC 1738. `format(parse(u)) === u` for every u
   * that `parse` accepts without deviations.
   */
  format(url: U, options?: UrlFormatOptions): string;
  /**
   * Returns the normal form: the same text for all equivalent URLs, useful as a key. The normal form is an equivalent
   * URL and its own normal form. The normal form of an http URL is what a client sends. In the normal form, scheme and
   * host are in lower case. The escapes of the normal form have upper-case digits, and the normal form does not escape
   * unreserved characters. The normal form's port has no leading zeros, and the default port is omitted. Normalization
   * keeps escapes of reserved, unsafe and control bytes, and dot segments that are names. The normal form includes the
   * password, and omits the fragment. RFC 1738 §2.1, §2.2, §3.1.
   */
  normalize(url: U): string;
  /**
   * Builds a URL from decoded parts. Throws `UrlSyntaxError` for parts that form no URL of the scheme, for example a
   * bad host.
   */
  build(parts: Parts): U;
}

/** The definition of a scheme's syntax, for {@link defineSyntax}. */
export interface SyntaxDefinition<U extends Url & Parts, Parts> {
  readonly schemes: readonly string[];
  readonly defaultPort?: number | undefined;
  readonly hierarchy?: UrlHierarchy | undefined;
  /**
   * The url-path that is equivalent to an empty or absent one: `"1"` in `gopher://h/`. Default: none, so that `//h` and
   * `//h/` are different URLs. RFC 1738 §3.1: the "/" is "NOT part of the url-path".
   */
  readonly emptyPathEquivalent?: string;
  /**
   * Removes the dot segments of a path without its query. In a scheme with `removeDotSegments`, a URL of modern mode is
   * equivalent to the URL without its dot segments. In a scheme without `removeDotSegments`, dot segments are ordinary
   * names in a path. RFC 3986 §6.2.2.3.
   */
  readonly removeDotSegments?: (path: string) => string;
  /** The host, in lower case, that is equivalent to an empty host. Default: none. */
  readonly emptyHostEquivalent?: string;
  /**
   * Matches conforming texts that parsers of later standards read differently. In modern mode, `reportDeviations`
   * checks each matching text, and may report faults and deviations. Default: none.
   */
  readonly ambiguousTextPattern?: RegExp;
  /** The exact production of the text after the colon, as the source of a regular expression. */
  readonly schemePartPattern: string;
  /**
   * Reports the fault or the deviations of a text that the production rejects. `reportDeviations` must accept a text
   * without deviations exactly when the production accepts the text. `reportDeviations` returns false if it has
   * reported a fault.
   */
  reportDeviations(diagnostics: ParseDiagnostics): boolean;
  /** Creates the URL of a text that has been checked in the mode `mode`. */
  createUrlFromText(text: string, deviations: LazyDeviations, mode: ParseMode): U;
  /**
   * Writes a URL from its components. Converts each component with `escape`. The methods `format` and `build` of the
   * syntax call this function.
   */
  formatUrl(parts: Parts, escape: ComponentEscaper): string;
}

type ParseFindings = Pick<ParseDiagnostics, "fault"> & Partial<Pick<ParseDiagnostics, "deviations">>;

/**
 * Matches a text that conforms to RFC 1738 and that parsers of later standards may read differently: they end the
 * authority at a "?" in the login, and they reject a malformed A-label in the host.
 */
const AMBIGUOUS_AUTHORITY = /^[^/?]*\/\/(?:[^/?@]*\?[^/@]*@|[^/?]*xn--)/i;

/** Creates the `Syntax` of a scheme from its grammar. */
export function defineSyntax<U extends Url & Parts, Parts>(
  grammar: SyntaxDefinition<U, Parts>,
): Syntax<U, Parts> {
  const { ambiguousTextPattern, schemePartPattern } = grammar;
  const mayHaveLogin = !schemePartPattern.startsWith(`//${hostportRegExpSource}`);
  const ownScheme = new RegExp(`^${createCaseInsensitivePattern(grammar.schemes)}:`);
  // The regular expression of the scheme's URLs is created on first use, because it is large.
  let production: RegExp | undefined;

  // The engine of regular expressions stores a backtracking position for each repetition, and throws after some
  // millions. `reportDeviations` accepts the same texts as the expression, but of any length.
  function matchesGrammar(text: string): boolean {
    production ??= new RegExp(`${ownScheme.source}${schemePartPattern}$`);
    return text.length <= DEFAULT_MAX_URL_LENGTH && production.test(text);
  }

  function isAmbiguous(text: string): boolean {
    const mayBeAmbiguous = text.includes("--") || (mayHaveLogin && text.includes("@") && text.includes("?"));
    return (mayBeAmbiguous && AMBIGUOUS_AUTHORITY.test(text)) || ambiguousTextPattern?.test(text) === true;
  }

  function tryParse(text: string, options?: UrlParseOptions): ParseResult<U> {
    checkArgument("parse", "text", text, stringOptionKind);
    if (options !== undefined) checkOptions("parse", options, PARSE_OPTION_KINDS);
    const maxLength = options?.maxLength ?? DEFAULT_MAX_URL_LENGTH;
    if (text.length > maxLength)
      return {
        fault: createDeviation(URL_TOO_LONG_FAULT, maxLength, text.length - maxLength, "raise maxLength"),
      };
    const mode = options?.mode ?? "modern";
    return mode === "modern" ? tryParseModern(trimWhiteSpace(text)) : tryParseConforming(text);
  }

  function tryParseModern(text: string): ParseResult<U> {
    if (matchesGrammar(text) && !isAmbiguous(text))
      return { url: createCheckedUrl(text, NO_DEVIATIONS, "modern") };
    const { fault } = diagnoseText(text, "modern", false);
    if (fault) return { fault };
    const deviations = (): readonly UrlSyntaxDeviation[] =>
      Object.freeze(diagnoseText(text, "modern").deviations as UrlSyntaxDeviation[]);
    return { url: createCheckedUrl(text, deviations, "modern") };
  }

  function tryParseConforming(text: string): ParseResult<U> {
    if (matchesGrammar(text)) return { url: createCheckedUrl(text, NO_DEVIATIONS, "rfc1738") };
    // The grammar rejects every text that does not match the production.
    if (text.length <= DEFAULT_MAX_URL_LENGTH)
      return new LazyFaultResult(() => diagnoseText(text, "rfc1738").fault);
    const { fault } = diagnoseText(text, "rfc1738", false);
    return fault ? { fault } : { url: createCheckedUrl(text, NO_DEVIATIONS, "rfc1738") };
  }

  function createCheckedUrl(text: string, deviations: LazyDeviations, mode: ParseMode): U {
    const url = grammar.createUrlFromText(text, deviations, mode);
    setSyntaxOfCheckedUrl(url, syntaxOfCheckedUrl, mode);
    return url;
  }

  /**
   * Returns the fault or the deviations of a text that the regular expression rejects or cannot check because of its
   * length, or that is ambiguous.
   */
  function diagnoseText(text: string, mode: ParseMode, lists?: boolean): ParseFindings {
    if (!ownScheme.test(text)) return { fault: findSchemeFault(grammar.schemes, text) };
    const diagnostics = new ParseDiagnostics(text, mode, text.indexOf(":") + 1, lists);
    const accepted = grammar.reportDeviations(diagnostics) && diagnostics.checkFragment();
    // The production rejects the text, so `reportDeviations` must report a fault or a deviation.
    if (
      !diagnostics.fault &&
      (!accepted ||
        (diagnostics.deviations.length === 0 && text.length <= DEFAULT_MAX_URL_LENGTH && !isAmbiguous(text)))
    )
      throw new Error("refused without a fault");
    return diagnostics;
  }

  function parse(text: string, options?: UrlParseOptions): U {
    const result = tryParse(text, options);
    if (result.fault) throw new UrlSyntaxError(result.fault);
    return result.url;
  }

  /** Returns a URL of this syntax unchanged. Parses the text of a URL that another syntax has created. */
  function toCertifiedUrl(url: U): U {
    return getSyntaxOfCheckedUrl(url) === syntaxOfCheckedUrl ? url : parse(url.href, { maxLength: Infinity });
  }

  function format(url: U, options?: UrlFormatOptions): string {
    if (options !== undefined) {
      checkOptions("format", options, FORMAT_OPTIONS);
      // The form of RFC 1738 is also valid in RFC 3986.
      if (options.as === "rfc3986" && url.mode === "modern") return formatUrlAsRfc3986(url);
      if (options.as === "rfc3986" && ambiguousTextPattern?.test(url.href))
        return grammar.formatUrl(url, escapeDisallowed);
    }
    return url.deviations.length === 0 && !hasQuestionMarkInLogin(url)
      ? url.href
      : grammar.formatUrl(url, escapeDisallowed);
  }

  const { schemes, defaultPort, hierarchy } = grammar;
  const syntax: Syntax<U, Parts> = {
    schemes,
    defaultPort,
    hierarchy,
    parse,
    tryParse,
    // The check of a conforming text creates no URL.
    canParse(text, options) {
      if (options !== undefined) checkOptions("parse", options, PARSE_OPTION_KINDS);
      const isDefault = options?.maxLength === undefined;
      const isModern = options?.mode !== "rfc1738";
      if (isDefault && matchesGrammar(text) && !(isModern && isAmbiguous(text))) return true;
      return tryParse(text, options).url !== undefined;
    },
    format: (url, options) =>
      (options === undefined ? getUrlTextIfConforming(url, syntaxOfCheckedUrl) : undefined) ??
      format(toCertifiedUrl(url), options),
    normalize: (url) => normalizeUrl(grammar, toCertifiedUrl(url)),
    build: (parts) => {
      const { href } = parse(grammar.formatUrl(parts, percentEncode), { mode: "rfc1738" });
      return isAmbiguous(href) ? parse(href) : createCheckedUrl(href, NO_DEVIATIONS, "modern");
    },
  };
  // Only URLs that the grammar has checked have its syntax as their `syntaxOfCheckedUrl`.
  const syntaxOfCheckedUrl: SyntaxOfCheckedUrl = {
    syntax,
    format: (url, options) => format(url as U, options),
  };
  return syntax;
}

/** True for a URL of the mode `rfc1738` that `format` changes, because later parsers find another host. */
function hasQuestionMarkInLogin(url: Url): boolean {
  if (!url.href.includes("@") || !(url instanceof InternetUrl)) return false;
  const { user = "", password = "" } = url;
  return (user + password).includes("?");
}

/** The result of the mode `rfc1738` for a text that does not conform. Computes the fault on first use. */
class LazyFaultResult {
  readonly #explain: () => UrlSyntaxDeviation | undefined;
  #fault: UrlSyntaxDeviation | undefined;

  constructor(explain: () => UrlSyntaxDeviation | undefined) {
    this.#explain = explain;
  }

  get fault(): UrlSyntaxDeviation {
    return (this.#fault ??= this.#explain() as UrlSyntaxDeviation);
  }

  toJSON(): { readonly fault: UrlSyntaxDeviation } {
    return { fault: this.fault };
  }
}

/**
 * Returns the fault of a text that begins with none of the given schemes. An empty list of schemes means every scheme.
 * RFC 1738 §2.1: `<scheme>:<scheme-specific-part>`.
 */
function findSchemeFault(schemes: readonly string[], text: string): UrlSyntaxDeviation {
  const advice = 'begin with a scheme, as in "ftp://"';
  const colon = text.indexOf(":");
  if (colon <= 0) return createDeviation(MISSING_SCHEME, 0, 0, advice);
  const stray = text.search(/[^A-Za-z0-9+.-]/);
  if (stray < colon) return createDeviation(BAD_SCHEME, stray, 1, advice);
  if (schemes.length === 0) return createDeviation(WRAPPER_PREFIX, 0, 4, 'leave the "URL:" out');
  return createDeviation(WRONG_SCHEME, 0, colon, `write "${schemes.join('" or "')}"`);
}

/** Returns the source of an expression that matches scheme names in any case. RFC 1738 §2.1. */
function createCaseInsensitivePattern(schemes: readonly string[]): string {
  // "URL:" is no scheme, but the prefix of a URL in angle brackets, as in `<URL:ftp://h/>`. A program may register a
  // scheme with the name `url`.
  if (schemes.length === 0) return "(?![Uu][Rr][Ll]:)[A-Za-z0-9+.-]+";
  const names = schemes.map((name) =>
    name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`).replace(/[+.]/g, "\\$&"),
  );
  return `(?:${names.join("|")})`;
}
