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
 * A URL of a scheme of which only the generic form is known, or that asks for no more. RFC 1738 §2.1 and §5:
 * `genericurl = scheme ":" schemepart`, `schemepart = *xchar | ip-schemepart`.
 */
export class GenericUrl<Name extends string = string> extends InternetUrl<Name> {
  readonly #defaultPort: number | undefined;

  constructor(text: string, deviations: Deviations, defaultPort?: number) {
    super(text, deviations);
    this.#defaultPort = defaultPort;
  }

  /** All that follows the first colon, without a fragment. */
  get schemePart(): string {
    return this.href.slice(this.href.indexOf(":") + 1, this.end);
  }

  /** Whether the scheme-specific part has the common Internet scheme syntax; without it the host is `""`. RFC 1738 §3.1. */
  get hasAuthority(): boolean {
    return this.authorityEnd >= 0;
  }

  /** What follows the "/" after the host: `undefined` without that "/", or without a host. */
  get urlPath(): string | undefined {
    return this.hasAuthority ? this.pathText : undefined;
  }

  protected override get defaultPort(): number | undefined {
    return this.#defaultPort;
  }

  // ip-schemepart = "//" login [ "/" urlpath ]            RFC 1738 §5
  protected override get authorityStart(): number {
    const start = this.href.indexOf(":") + 1;
    const diagnostics = new Diagnostics(this.href, "strict", start);
    return checkAuthority(diagnostics, { login: true }) === undefined ? -1 : start + 2;
  }

  override components(): Readonly<Record<string, unknown>> {
    if (!this.hasAuthority) return { scheme: this.scheme, schemePart: maskLogin(this.schemePart) };
    return { ...super.components(), urlPath: this.urlPath };
  }

  // What is no valid login may have been meant as one.
  override toString(): string {
    return this.hasAuthority ? super.toString() : maskLogin(this.href);
  }
}

/** What `build` takes for a generic URL. */
export interface GenericParts {
  /** Default: the first name of the syntax. */
  readonly scheme?: string;
  /** Decoded, but for its reserved characters, which stand for themselves. */
  readonly schemePart: string;
}

const GENERIC_OPTIONS: OptionTable = {
  schemes: arrayOf(string, 'names of schemes, as ["x-any"]'),
  defaultPort: port,
};

/**
 * The syntax of schemes that need no grammar of their own, for example `x-` schemes. Without names it reads every scheme.
 * A "//" that no valid login follows is opaque data.
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
      // Escaped it may have a login after all, in which a "?" does not stay.
      const again = new GenericUrl<Name>(text, [], defaultPort);
      return again.alternativeHosts.length ? write(again, escapeDisallowed) : text;
    },
  });
}

/** Masks what stands between the first ":" and the last "@" of an opaque part that begins as a login does. */
function maskLogin(text: string): string {
  return text.replace(/^((?:[^/:]*:)?\/\/[^:]*:)[^]+@/, `$1${MASK}@`);
}
