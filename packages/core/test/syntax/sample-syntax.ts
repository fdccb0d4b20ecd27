import {
  type AuthorityBuildParts,
  checkAuthority,
  type TextOrBytes,
  defineSyntax,
  type SyntaxDefinition,
  InternetUrl,
  authorityRegExpSource,
  type Syntax,
  extendUchar,
  writeAuthority,
} from "../../src/syntax/index.ts";

const pathCharacters = extendUchar("/;?:@&=");

export interface XSampleUrlParts extends AuthorityBuildParts {
  readonly path?: TextOrBytes | undefined;
}

/** A URL of a sample scheme, with all components of RFC 1738 §3.1: `x-sample://user:password@host:port/path`. */
export class XSampleUrl extends InternetUrl<"x-sample"> {
  get path(): string | undefined {
    return this.pathText;
  }

  protected override get defaultPort(): number {
    return 7;
  }

  override components(): Readonly<Record<string, unknown>> {
    return { ...super.components(), path: this.path };
  }
}

export const xSampleSyntaxDefinition: SyntaxDefinition<XSampleUrl, XSampleUrlParts> = {
  schemes: ["x-sample"],
  defaultPort: 7,
  schemePartPattern: `//${authorityRegExpSource}(?:/${pathCharacters.source})?`,
  reportDeviations(reading) {
    const end = checkAuthority(reading, { login: true });
    return end !== undefined && reading.checkCharacters(end, reading.schemePartEnd, pathCharacters);
  },
  createUrlFromText: (text, deviations) => new XSampleUrl(text, deviations),
  formatUrl(parts, escape) {
    const path = parts.path === undefined ? "" : `/${escape(parts.path, pathCharacters)}`;
    return `x-sample:${writeAuthority(parts, escape)}${path}`;
  },
};

export const sampleSyntax: Syntax<XSampleUrl, XSampleUrlParts> = defineSyntax(xSampleSyntaxDefinition);

/** Returns the code of a text's fault in the given mode, or the codes of its deviations. */
export function parseToFaultOrDeviationCodes(
  text: string,
  mode: "rfc1738" | "modern",
  syntax: Syntax = sampleSyntax,
): string {
  const { url, fault } = syntax.tryParse(text, { mode });
  if (fault) return fault.code;
  return url.deviations.length === 0 ? "ok" : `ok, but ${url.deviations.map(({ code }) => code).join(" ")}`;
}
