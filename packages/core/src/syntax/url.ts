import type { Deviation } from "./deviation.ts";
import type { Reading } from "./reading.ts";

/** How another reader would understand the same text. */
export interface OtherReading {
  readonly reader: "RFC 3986" | "WHATWG";
  readonly host: string;
}

/** Where `console.log` of Node looks for a class's own way to be shown. */
const inspect: symbol = Symbol.for("nodejs.util.inspect.custom");

/** What stands in the place of a password in every text that is made from a URL. */
export const MASK = "****";

/**
 * A parsed URL of any scheme: immutable, its components the text as written (still encoded). Only `href` and `format` give
 * a password back; `String(url)`, JSON and inspection mask it. RFC 1738 §2.1.
 */
export abstract class Url<Name extends string = string> {
  readonly #scheme: Name;
  readonly #href: string;
  readonly #deviations: readonly Deviation[];
  readonly #fragment: string | undefined;

  constructor(reading: Reading) {
    this.#scheme = reading.scheme as Name;
    this.#href = reading.text;
    this.#deviations = reading.deviations;
    this.#fragment = reading.fragment;
  }

  /** The name of the scheme in lower case. */
  get scheme(): Name {
    return this.#scheme;
  }

  /** The full text as it was given, password and fragment included. */
  get href(): string {
    return this.#href;
  }

  /** Where the text departs from RFC 1738; empty for a conforming URL. */
  get deviations(): readonly Deviation[] {
    return this.#deviations;
  }

  /** The text after "#", which is not part of the URL and never sent; `undefined` without a "#". */
  get fragment(): string | undefined {
    return this.#fragment;
  }

  /** Readers that would see another host in the same text; a policy may refuse such a URL. Empty for nearly all URLs. */
  get readings(): readonly OtherReading[] {
    return [];
  }

  /** The components of the URL by name, as written, without the password. */
  abstract components(): Readonly<Record<string, unknown>>;

  /** `href` with the password masked. */
  toString(): string {
    return this.#href;
  }

  toJSON(): string {
    return this.toString();
  }

  static {
    Object.defineProperty(this.prototype, inspect, {
      value(this: Url): string {
        return `${this.constructor.name} <${this.toString()}>`;
      },
    });
  }
}
