import { checkAuthority } from "./authority.ts";
import { prefixIfPresent, type Escape, InternetUrl, writeAuthority } from "./internet-url.ts";
import { xchar } from "./characters.ts";
import { escapeDisallowed } from "./percent-encoding.ts";
import { checkOptions } from "../options/check-options.ts";
import { arrayOf, type OptionTable, port, string } from "../options/option-kinds.ts";
import { Diagnostics } from "./diagnostics.ts";
import { defineSyntax, type Syntax } from "./syntax.ts";
import { type Deviations, MASK } from "./url.ts";

/**
 * A URL of a scheme that is unknown or that needs only the generic form. RFC 1738 §2.1 and §5: `genericurl = scheme ":"
 * schemepart`, `schemepart = *xchar | ip-schemepart`.
 */
export class GenericUrl<Name extends string = string> extends InternetUrl<Name> {
  readonly #defaultPort: number | undefined;

  constructor(text: string, deviations: Deviations, defaultPort?: number) {
    super(text, deviations);
    this.#defaultPort = defaultPort;
  }

  /** The text after the first colon, without the fragment. */
  get schemePart(): string {
    return this.href.slice(this.href.indexOf(":") + 1, this.end);
  }

  /**
   * True when the scheme-specific part has the common Internet scheme syntax. The host is otherwise `""`. RFC 1738
   * §3.1.
   */
  get hasAuthority(): boolean {
    return this.authorityEnd >= 0;
  }

  /** The text after the "/" that follows the host. `undefined` without that "/" or without a host. */
  get urlPath(): string | undefined {
    return this.hasAuthority ? this.pathText : undefined;
  }

  protected override get defaultPort(): number | undefined {
    return this.#defaultPort;
  }

  // ip-schemepart = "//" login [ "/" urlpath ]            RFC 1738 §5
  protected override get authorityStart(): number {
    const start = this.href.indexOf(":") + 1;
    const diagnostics = new Diagnostics(this.href, "rfc1738", start);
    return checkAuthority(diagnostics, { login: true }) === undefined ? -1 : start + 2;
  }

  override components(): Readonly<Record<string, unknown>> {
    if (!this.hasAuthority) return { scheme: this.scheme, schemePart: maskLogin(this.schemePart) };
    return { ...super.components(), urlPath: this.urlPath };
  }

  // Masks invalid logins too, because they may contain a password.
  override toString(): string {
    return this.hasAuthority ? super.toString() : maskLogin(this.href);
  }
}

/** The parts of a generic URL for `build`. */
export interface GenericParts {
  /** The scheme. Default: the first name of the syntax. */
  readonly scheme?: string;
  /** The decoded scheme-specific part. Its reserved characters are not escaped. */
  readonly schemePart: string;
}

const GENERIC_OPTIONS: OptionTable = {
  schemes: arrayOf(string, 'names of schemes, as ["x-any"]'),
  defaultPort: port,
};

/**
 * Creates the syntax of schemes without a grammar of their own, for example `x-` schemes. Default: parses URLs of every
 * scheme. A "//" without a valid login after it is opaque data.
 */
export function genericSyntax<Name extends string = string>(
  options: { schemes?: readonly Name[]; defaultPort?: number } = {},
): Syntax<GenericUrl<Name>, GenericParts> {
  checkOptions("genericSyntax", options, GENERIC_OPTIONS);
  const { schemes = [], defaultPort } = options;
  return defineSyntax<GenericUrl<Name>, GenericParts>({
    schemes,
    schemepart: xchar.source,
    defaultPort,
    diagnose: (diagnostics) => diagnostics.check(diagnostics.start, diagnostics.end, xchar),
    url: (text, deviations) => new GenericUrl<Name>(text, deviations, defaultPort),
    write(parts, escape) {
      const scheme = parts.scheme ?? schemes[0] ?? "";
      const write = (url: GenericUrl, how: Escape): string =>
        `${scheme}:${writeAuthority(url, how)}${prefixIfPresent("/", url.urlPath && how(url.urlPath, xchar))}`;
      if (parts instanceof GenericUrl && parts.hasAuthority) return write(parts, escape);
      const text = `${scheme}:${escape(parts.schemePart, xchar)}`;
      // The escaped text may have a valid login. A "?" in a login must be escaped.
      const again = new GenericUrl<Name>(text, [], defaultPort);
      return again.hasAuthority && again.user?.concat(again.password ?? "").includes("?")
        ? write(again, escapeDisallowed)
        : text;
    },
  });
}

/** Masks a possible password in an opaque part: the text from the first ":" to the last "@". */
function maskLogin(text: string): string {
  return text.replace(/^((?:[^/:]*:)?\/\/[^:]*:)[^]+@/, `$1${MASK}@`);
}
