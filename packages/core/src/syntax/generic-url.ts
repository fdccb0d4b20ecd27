import { type Authority, InternetUrl, readAuthority, writeAuthority } from "./internet-url.ts";
import { xchar } from "./octets.ts";
import { Reading } from "./reading.ts";
import { defineSyntax, type Syntax } from "./syntax.ts";

const NOWHERE: Authority = { user: undefined, password: undefined, host: "", port: undefined, end: 0 };

/**
 * A URL of a scheme of which only the generic form is known, or that asks for no more. RFC 1738 §2.1 and §5:
 * `genericurl = scheme ":" schemepart`, `schemepart = *xchar | ip-schemepart`.
 */
export class GenericUrl<Name extends string = string> extends InternetUrl<Name> {
  readonly #schemePart: string;
  readonly #urlPath: string | undefined;
  readonly #internet: boolean;

  constructor(reading: Reading, authority: Authority | undefined, defaultPort: number | undefined) {
    super(reading, authority ?? NOWHERE, defaultPort);
    this.#schemePart = reading.text.slice(reading.start, reading.end);
    this.#internet = authority !== undefined;
    this.#urlPath =
      authority && authority.end < reading.end
        ? reading.text.slice(authority.end + 1, reading.end)
        : undefined;
  }

  /** All that follows the first colon, without a fragment. */
  get schemePart(): string {
    return this.#schemePart;
  }

  /** Whether the scheme-specific part has the common Internet scheme syntax; without it the host is `""`. RFC 1738 §3.1. */
  get internet(): boolean {
    return this.#internet;
  }

  /** What follows the "/" after the host: `undefined` without that "/", or without a host. */
  get urlPath(): string | undefined {
    return this.#urlPath;
  }

  override components(): Readonly<Record<string, unknown>> {
    if (!this.#internet) return { scheme: this.scheme, schemePart: this.#schemePart };
    return { ...super.components(), urlPath: this.#urlPath };
  }
}

/** What `build` takes for a generic URL. */
export interface GenericParts {
  /** Default: the first name of the syntax. */
  readonly scheme?: string;
  /** Decoded, but for its reserved characters, which stand for themselves. */
  readonly schemePart: string;
}

/**
 * The syntax of schemes that need no grammar of their own, for example `x-` schemes. Without names it reads every scheme.
 * A "//" that no valid login follows is opaque data.
 */
export function genericSyntax<Name extends string = string>(
  options: { schemes?: readonly Name[]; defaultPort?: number } = {},
): Syntax<GenericUrl<Name>, GenericParts> {
  const { schemes = [], defaultPort } = options;
  return defineSyntax<GenericUrl<Name>, GenericParts>({
    schemes,
    ...(defaultPort === undefined ? {} : { defaultPort }),
    read(reading) {
      const authority = readOptionalAuthority(reading);
      const from = authority?.end ?? reading.start;
      return reading.check(from, reading.end, xchar)
        ? new GenericUrl<Name>(reading, authority, defaultPort)
        : undefined;
    },
    write(parts, escape) {
      const scheme = parts.scheme ?? schemes[0] ?? "";
      if (!(parts instanceof GenericUrl && parts.internet))
        return `${scheme}:${escape(parts.schemePart, xchar)}`;
      const path = parts.urlPath === undefined ? "" : `/${escape(parts.urlPath, xchar)}`;
      return `${scheme}:${writeAuthority(parts, escape)}${path}`;
    },
  });
}

/** Tries the login on a reading of its own, so that a failure leaves no fault behind. */
function readOptionalAuthority(reading: Reading): Authority | undefined {
  if (!reading.text.startsWith("//", reading.start)) return undefined;
  const trial = new Reading(reading.text, "strict", reading.scheme);
  return readAuthority(trial, { login: true });
}
