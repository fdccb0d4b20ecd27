import { type Deviation, UrlSyntaxError, type FaultCode } from "./deviation.ts";
import { normalForm } from "./equality.ts";
import type { Escape } from "./internet-url.ts";
import { conform, encode } from "./percent-encoding.ts";
import { deviation, type Mode, Reading } from "./reading.ts";
import { type Found, NOTHING_FOUND, type Url } from "./url.ts";

/** The longest URL that `parse` takes unless told otherwise, in UTF-16 units. */
export const MAX_URL_LENGTH = 65_536;

export interface ParseOptions {
  /** Default `"tolerant"`. */
  readonly mode?: Mode | undefined;
  /** Longest text in UTF-16 units. Default {@link MAX_URL_LENGTH}. */
  readonly maxLength?: number | undefined;
}

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
   * left out where it is the default. Escapes of reserved, unsafe and control octets stay, and so do dot segments. Without
   * the fragment, with the password. RFC 1738 §2.1, §2.2, §3.1.
   */
  normalize(url: U): string;
  /** Encodes decoded parts. Throws `UrlSyntaxError` when they make no URL of the scheme, for example by a bad host. */
  build(parts: Parts): U;
}

/** What a scheme has to know of itself to get a {@link Syntax}. */
export interface Grammar<U extends Url & Parts, Parts> {
  readonly schemes: readonly string[];
  readonly defaultPort?: number;
  readonly hierarchy?: Hierarchy;
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
  diagnose(reading: Reading): boolean;
  /** Makes the URL of a text that has been checked. */
  url(text: string, found: Found): U;
  /** Writes a URL from its components, each of which goes through `escape`. Serves `format` and `build` alike. */
  write(parts: Parts, escape: Escape): string;
}

/** Makes a scheme's `Syntax` from its grammar. */
export function defineSyntax<U extends Url & Parts, Parts>(grammar: Grammar<U, Parts>): Syntax<U, Parts> {
  const ownScheme = new RegExp(`^${anyCase(grammar.schemes)}:`);
  const production = new RegExp(`${ownScheme.source}${grammar.schemepart}$`);

  // The expression keeps a place to go back to for each turn of a repetition, and from some million turns on the engine throws.
  // `diagnose` accepts the same and reads any length.
  function conforms(text: string): boolean {
    return text.length <= MAX_URL_LENGTH && production.test(text);
  }

  function tryParse(text: string, options?: ParseOptions): ParseResult<U> {
    const maxLength = options?.maxLength ?? MAX_URL_LENGTH;
    if (text.length > maxLength)
      return fault("too-long", maxLength, text.length - maxLength, "raise maxLength");
    if (conforms(text)) return { url: grammar.url(text, NOTHING_FOUND) };
    const mode = options?.mode ?? "tolerant";
    return isDecided(text, mode) ? new Refusal(text, explain) : readOther(text, mode);
  }

  function readOther(text: string, mode: Mode): ParseResult<U> {
    return ownScheme.test(text)
      ? readDeparting(grammar, text, mode)
      : { fault: schemeFault(grammar.schemes, text) };
  }

  function explain(text: string): Deviation {
    const { fault } = readOther(text, "strict");
    if (!fault) throw new Error(`${grammar.schemes.join(", ")}: accepted, and not by the production`);
    return fault;
  }

  function parse(text: string, options?: ParseOptions): U {
    const result = tryParse(text, options);
    if (result.fault) throw new UrlSyntaxError(result.fault);
    return result.url;
  }

  return {
    schemes: grammar.schemes,
    defaultPort: grammar.defaultPort,
    hierarchy: grammar.hierarchy,
    parse,
    tryParse,
    canParse: (text, options) =>
      (text.length <= (options?.maxLength ?? MAX_URL_LENGTH) && conforms(text)) ||
      (!isDecided(text, options?.mode) && tryParse(text, options).fault === undefined),
    format: (url) =>
      url.deviations.length === 0 && url.readings.length === 0 ? url.href : grammar.write(url, conform),
    normalize: (url) => normalForm(grammar, url),
    build: (parts) => parse(grammar.write(parts, encode), { mode: "strict" }),
  };
}

/** Whether a mode refuses what the expression has not accepted. */
function isDecided(text: string, mode: Mode | undefined): boolean {
  return mode === "strict" && text.length <= MAX_URL_LENGTH;
}

/** What strict mode answers to a text that does not conform. The reason takes three times as long as the answer, and waits until somebody asks. */
class Refusal {
  readonly #text: string;
  readonly #explain: (text: string) => Deviation;
  #fault: Deviation | undefined = undefined;

  constructor(text: string, explain: (text: string) => Deviation) {
    this.#text = text;
    this.#explain = explain;
  }

  get fault(): Deviation {
    return (this.#fault ??= this.#explain(this.#text));
  }

  toJSON(): { readonly fault: Deviation } {
    return { fault: this.fault };
  }
}

/** Reads a text of the scheme that does not conform, which is either a fault or a URL with deviations. */
function readDeparting<U extends Url & Parts, Parts>(
  grammar: Grammar<U, Parts>,
  text: string,
  mode: Mode,
): ParseResult<U> {
  const reading = new Reading(text, mode, text.indexOf(":") + 1);
  if (!reading.fault && !grammar.diagnose(reading) && !reading.fault)
    throw new Error(`${grammar.schemes.join(", ")}: a refusal without a fault`);
  if (reading.fault) return { fault: reading.fault };
  return {
    url: grammar.url(text, { deviations: Object.freeze([...reading.deviations]), mark: reading.mark }),
  };
}

/** Why a text has none of the schemes. Without names, every scheme is meant. */
function schemeFault(schemes: readonly string[], text: string): Deviation {
  const scheme = schemeOf(text);
  if (typeof scheme !== "string") return scheme;
  if (schemes.length === 0) return deviation("wrapper-prefix", 0, 4, 'leave the "URL:" out');
  return deviation("wrong-scheme", 0, scheme.length, `write "${schemes.join('" or "')}"`);
}

/** The names of schemes as the source of a regular expression that takes letters of either case. RFC 1738 §2.1. */
function anyCase(schemes: readonly string[]): string {
  // "URL:" is the prefix of a wrapper and no scheme, unless somebody registers it.
  if (schemes.length === 0) return "(?![Uu][Rr][Ll]:)[A-Za-z0-9+.-]+";
  const names = schemes.map((name) =>
    name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`).replace(/[+.]/g, "\\$&"),
  );
  return `(?:${names.join("|")})`;
}

/** The scheme name of a text, in lower case, or the fault that it has none. RFC 1738 §2.1: `<scheme>:<scheme-specific-part>`. */
export function schemeOf(text: string): string | Deviation {
  const colon = text.indexOf(":");
  if (colon <= 0) return deviation("missing-scheme", 0, 0, 'begin with a scheme, as in "ftp://"');
  const name = text.slice(0, colon);
  const stray = /[^A-Za-z0-9+.-]/.exec(name);
  if (stray) return deviation("bad-scheme", stray.index, 1, 'begin with a scheme, as in "ftp://"');
  return name.toLowerCase();
}

function fault(
  code: FaultCode,
  index: number,
  length: number,
  suggestion: string,
): { readonly fault: Deviation } {
  return { fault: deviation(code, index, length, suggestion) };
}
