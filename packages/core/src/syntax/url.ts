import { splitAuthority, type AuthorityComponents } from "./authority.ts";
import type { UrlSyntaxDeviation } from "./faults/syntax-fault.ts";
import type { ParseMode } from "./faults/parse-fault-recorder.ts";
import type { ParserDifference } from "./faults/parser-differences.ts";
import type { UrlFormatOptions } from "./syntax.ts";

/** The key of the method that `console.log` of Node.js calls. */
const nodeInspectSymbol: symbol = Symbol.for("nodejs.util.inspect.custom");

/** The replacement of the password in texts made from a URL. */
export const PASSWORD_MASK = "****";

/** The deviations of a URL, or a function that lists them on first use. */
export type LazyDeviations = readonly UrlSyntaxDeviation[] | (() => readonly UrlSyntaxDeviation[]);

/** The state of a URL in one object. The class `Url` has a single private field, which holds this object. */
interface UrlState {
  readonly text: string;
  deviations: LazyDeviations;
  /** The index where the URL ends in its text, or -1 until the first use. */
  urlEnd: number;
  /** The components of the authority, computed on first use. */
  authorityComponents: AuthorityComponents | undefined;
  syntaxOfCheckedUrl: SyntaxOfCheckedUrl | undefined;
  /** The prototype of the class that the constructor was called for. */
  readonly prototype: object;
  mode: ParseMode;
}

/** A syntax that has checked a URL, and its `format`, which does not check the URL again. */
export interface SyntaxOfCheckedUrl {
  readonly syntax: { readonly schemes: readonly string[] };
  format(url: Url, options?: UrlFormatOptions): string;
}

/** Records that a syntax has checked the text of a URL. Only `defineSyntax` calls this function. */
export let setSyntaxOfCheckedUrl: (url: Url, syntax: SyntaxOfCheckedUrl, mode: ParseMode) => void;

/**
 * Returns the syntax that has checked a value's text, or `undefined`. Returns `undefined` also for a URL whose
 * properties or class a program has changed after the check. `instanceof` does not detect that a program has changed
 * the properties or the class of a URL.
 */
export let getSyntaxOfCheckedUrl: (value: unknown) => SyntaxOfCheckedUrl | undefined;

/**
 * Returns the text of a URL that is known to have no deviations and that the syntax has checked in modern mode, else
 * `undefined`. Reads only the private state of the URL, which no program can change.
 */
export let getUrlTextIfConforming: (value: unknown, syntax: SyntaxOfCheckedUrl) => string | undefined;

/**
 * Returns the components of the authority. A getter that URLs of many classes share calls this function, and not the
 * protected property `authorityComponents`: V8 looks up a property of many classes in 12 to 15 ns.
 */
export let getAuthorityComponents: (url: Url) => AuthorityComponents;

/** True for an empty list of deviations. False for a list of deviations that has not been computed. */
function isEmptyList(deviations: LazyDeviations): boolean {
  return typeof deviations === "object" && deviations.length === 0;
}

/** Returns the index after the URL: the end of the text, or the "#" of a fragment. */
function findEnd(state: UrlState): number {
  if (state.urlEnd < 0) {
    // In a text that the parser has accepted, the first "#" begins the fragment.
    const mark = state.text.indexOf("#");
    state.urlEnd = mark < 0 ? state.text.length : mark;
  }
  return state.urlEnd;
}

/**
 * A parsed, immutable URL of any scheme. The components of a URL are texts as written, still encoded, and are computed
 * on use. `href`, `password`, `format` and `normalize` return the password. `String(url)`, JSON and `util.inspect` mask
 * the password. RFC 1738 §2.1.
 */
export abstract class Url<Name extends string = string> {
  readonly #state: UrlState;

  /** The parser has checked the syntax of the text in the mode `mode`. */
  constructor(text: string, deviations: LazyDeviations, mode: ParseMode = "modern") {
    this.#state = {
      text,
      deviations,
      // A conforming text has no fragment.
      urlEnd: isEmptyList(deviations) ? text.length : -1,
      authorityComponents: undefined,
      syntaxOfCheckedUrl: undefined,
      prototype: new.target.prototype,
      mode,
    };
  }

  /** The name of the scheme in lower case. */
  get scheme(): Name {
    const { text, syntaxOfCheckedUrl } = this.#state;
    const schemes = syntaxOfCheckedUrl?.syntax.schemes;
    const name = schemes?.length === 1 ? schemes[0] : text.slice(0, text.indexOf(":")).toLowerCase();
    return name as Name;
  }

  /**
   * The full text as it was given, password and fragment included. Modern mode removes the white space around the text.
   */
  get href(): string {
    return this.#state.text;
  }

  /** The deviations of the text from RFC 1738. Empty for a conforming URL. */
  get deviations(): readonly UrlSyntaxDeviation[] {
    const state = this.#state;
    if (typeof state.deviations === "function") state.deviations = state.deviations();
    return state.deviations;
  }

  /** The text after "#", which is not part of the URL and is never sent. `undefined` without a "#". */
  get fragment(): string | undefined {
    const { href, urlEnd } = this;
    return urlEnd < href.length ? href.slice(urlEnd + 1) : undefined;
  }

  /**
   * The parts of the URL that parsers of other standards read differently. The default policy refuses a URL in which
   * another standard reads another host or port.
   */
  get parserDifferences(): readonly ParserDifference[] {
    return [];
  }

  /** The mode in which the text was parsed. */
  get mode(): ParseMode {
    return this.#state.mode;
  }

  /** The components of the URL by name, as written, without the password. */
  abstract components(): Readonly<Record<string, unknown>>;

  /** `href` with the password masked. */
  toString(): string {
    return this.#state.text;
  }

  toJSON(): string {
    return this.toString();
  }

  /** True for a URL that is known to have no deviations. Does not compute the deviations. */
  protected get isConforming(): boolean {
    return isEmptyList(this.#state.deviations);
  }

  /** The index after the URL: the end of the text, or the "#" of a fragment. */
  protected get urlEnd(): number {
    return findEnd(this.#state);
  }

  /** The components of the authority. */
  protected get authorityComponents(): AuthorityComponents {
    return getAuthorityComponents(this);
  }

  /**
   * Splits the authority on its first use. `end` is the index after the URL. The implementation in the class `Url`
   * finds no authority.
   */
  protected splitAuthority(text: string, end: number): AuthorityComponents {
    return splitAuthority(text, -1, end);
  }

  static {
    Object.defineProperty(this.prototype, nodeInspectSymbol, {
      value(this: Url): string {
        return `${this.constructor.name} <${this.toString()}>`;
      },
    });
    getAuthorityComponents = (url) => {
      const state = url.#state;
      return (state.authorityComponents ??= url.splitAuthority(state.text, findEnd(state)));
    };
    setSyntaxOfCheckedUrl = (url, syntax, mode) => {
      const state = url.#state;
      state.syntaxOfCheckedUrl = syntax;
      state.mode = mode;
    };
    getSyntaxOfCheckedUrl = (value) => {
      if (typeof value !== "object" || value === null || !(#state in value)) return undefined;
      const { syntaxOfCheckedUrl, prototype } = value.#state;
      const unchanged = Object.getPrototypeOf(value) === prototype && Reflect.ownKeys(value).length === 0;
      return unchanged ? syntaxOfCheckedUrl : undefined;
    };
    getUrlTextIfConforming = (value, syntax) => {
      if (typeof value !== "object" || value === null || !(#state in value)) return undefined;
      const { text, deviations, mode, syntaxOfCheckedUrl } = value.#state;
      return syntaxOfCheckedUrl === syntax && mode === "modern" && isEmptyList(deviations) ? text : undefined;
    };
  }
}
