import type { Deviation } from "./deviation.ts";
import { type Places, placesOf } from "./places.ts";

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
 * All that a URL holds, in one object. A private field of a class that a dozen classes inherit from is slow to define: with
 * one of them a URL is made in 100 ns, with the six that it could have in 300.
 */
interface Held {
  readonly text: string;
  readonly found: Found;
  /** Where the authority begins; -1 without one. */
  readonly start: number;
  /** Where the authority ends if no "/" ends it before. */
  readonly latest: number;
  /** Where the components of the authority lie, as soon as one of them was asked for. */
  places: Places | undefined;
}

/**
 * A parsed URL of any scheme: immutable, its components the text as written (still encoded). It holds the text and where its
 * components lie; they are cut out when asked for. Only `href` and `format` give a password back; `String(url)`, JSON and
 * inspection mask it. RFC 1738 §2.1.
 */
export abstract class Url<Name extends string = string> {
  readonly #held: Held;

  /** The text has been checked. `start` and `latest` are for {@link InternetUrl}. */
  constructor(text: string, found: Found, start = -1, latest = -1) {
    this.#held = { text, found, start, latest, places: undefined };
  }

  /** The name of the scheme in lower case. */
  get scheme(): Name {
    return this.href.slice(0, this.href.indexOf(":")).toLowerCase() as Name;
  }

  /** The full text as it was given, password and fragment included. */
  get href(): string {
    return this.#held.text;
  }

  /** Where the text departs from RFC 1738; empty for a conforming URL. */
  get deviations(): readonly Deviation[] {
    return this.#held.found.deviations;
  }

  /** The text after "#", which is not part of the URL and never sent; `undefined` without a "#". */
  get fragment(): string | undefined {
    const { text, found } = this.#held;
    return found.mark < 0 ? undefined : text.slice(found.mark + 1);
  }

  /** Readers that would see another host in the same text; a policy may refuse such a URL. Empty for nearly all URLs. */
  get readings(): readonly OtherReading[] {
    return [];
  }

  /** The components of the URL by name, as written, without the password. */
  abstract components(): Readonly<Record<string, unknown>>;

  /** `href` with the password masked. */
  toString(): string {
    return this.#held.text;
  }

  toJSON(): string {
    return this.toString();
  }

  /** The index behind the URL: the end of the text, or the "#" of a fragment. */
  protected get end(): number {
    const { text, found } = this.#held;
    return found.mark < 0 ? text.length : found.mark;
  }

  /** Where the components of the authority lie. */
  protected get places(): Places {
    const held = this.#held;
    return (held.places ??= placesOf(held.text, held.start, Math.min(held.latest, this.end)));
  }

  static {
    Object.defineProperty(this.prototype, inspect, {
      value(this: Url): string {
        return `${this.constructor.name} <${this.toString()}>`;
      },
    });
  }
}
