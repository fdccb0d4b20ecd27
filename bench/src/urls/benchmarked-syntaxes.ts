import { createGenericSyntax, type Syntax } from "@anyscheme/core/syntax";
import { ftpSyntax } from "@anyscheme/scheme-ftp/syntax";
import { gopherSyntax } from "@anyscheme/scheme-gopher/syntax";
import { httpsSyntax, httpSyntax } from "@anyscheme/scheme-http/syntax";
import * as others from "@anyscheme/scheme-others/syntax";

const OTHER_SCHEME_NAMES = ["file", "mailto", "news", "nntp", "telnet", "wais", "prospero"];

const anyschemeSyntaxes: readonly Syntax[] = [
  ftpSyntax,
  httpSyntax,
  httpsSyntax,
  gopherSyntax,
  ...Object.values<unknown>(others).filter(isSyntax),
];

/**
 * The schemes for which Anyscheme has no grammar of their own. The generic syntax parses the URLs of schemes without a
 * grammar of their own.
 */
export const schemesWithoutOwnSyntax: readonly string[] = OTHER_SCHEME_NAMES.filter(
  (name) => !anyschemeSyntaxes.some(({ schemes }) => schemes.includes(name)),
);

/** The syntaxes of the ten schemes of RFC 1738, and of https, snews and nntps. */
export const benchmarkedSyntaxes: readonly Syntax[] =
  schemesWithoutOwnSyntax.length === 0
    ? anyschemeSyntaxes
    : [...anyschemeSyntaxes, createGenericSyntax({ schemes: schemesWithoutOwnSyntax })];

function isSyntax(value: unknown): value is Syntax {
  return typeof value === "object" && value !== null && "schemes" in value && "tryParse" in value;
}
