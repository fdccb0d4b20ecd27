import type { Deviation } from "./deviation.ts";

/** Where `console.log` of Node looks for a class's own way to be shown. */
const inspect: symbol = Symbol.for("nodejs.util.inspect.custom");

/** How another reader would understand the same text. */
export interface OtherReading {
  readonly reader: "RFC 3986" | "WHATWG";
  readonly host: string;
}

/** What stands in the place of a password in every text that is made from a URL. */
export const MASK = "****";

/** What reading a text has brought to light beside its components. */
export interface Found {
  readonly deviations: readonly Deviation[];
  /** The index of the "#" of a fragment, or -1. */
  readonly mark: number;
}

/** What is found in every URL that conforms to RFC 1738: nothing. */
export const NOTHING_FOUND: Found = Object.freeze({ deviations: Object.freeze([]), mark: -1 });

/**
 * A parsed URL of any scheme: immutable, its components the text as written (still encoded). It holds the text and where its
 * components lie; they are cut out when asked for. Only `href` and `format` give a password back; `String(url)`, JSON and
 * inspection mask it. RFC 1738 §2.1.
 */
export abstract class Url<Name extends string = string> {
  readonly #text: string;
  readonly #found: Found;

  constructor(text: string, found: Found) {
    this.#text = text;
    this.#found = found;
  }

  /** The name of the scheme in lower case. */
  get scheme(): Name {
    return this.#text.slice(0, this.#text.indexOf(":")).toLowerCase() as Name;
  }

  /** The full text as it was given, password and fragment included. */
  get href(): string {
    return this.#text;
  }

  /** Where the text departs from RFC 1738; empty for a conforming URL. */
  get deviations(): readonly Deviation[] {
    return this.#found.deviations;
  }

  /** The text after "#", which is not part of the URL and never sent; `undefined` without a "#". */
  get fragment(): string | undefined {
    return this.#found.mark < 0 ? undefined : this.#text.slice(this.#found.mark + 1);
  }

  /** Readers that would see another host in the same text; a policy may refuse such a URL. Empty for nearly all URLs. */
  get readings(): readonly OtherReading[] {
    return [];
  }

  /** The components of the URL by name, as written, without the password. */
  abstract components(): Readonly<Record<string, unknown>>;

  /** `href` with the password masked. */
  toString(): string {
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }

  /** The index behind the URL: the end of the text, or the "#" of a fragment. */
  protected get end(): number {
    return this.#found.mark < 0 ? this.#text.length : this.#found.mark;
  }

  static {
    Object.defineProperty(this.prototype, inspect, {
      value(this: Url): string {
        return `${this.constructor.name} <${this.toString()}>`;
      },
    });
  }
}
