import { genericSyntax, type UrlReader } from "@anyscheme/core/syntax";
import { ftpSyntax } from "@anyscheme/scheme-ftp/syntax";
import { gopherSyntax } from "@anyscheme/scheme-gopher/syntax";
import { httpsSyntax, httpSyntax } from "@anyscheme/scheme-http/syntax";
import { fileSyntax } from "@anyscheme/scheme-others/syntax";

/** The ten schemes of RFC 1738, and https. */
export const syntaxes: readonly UrlReader[] = [
  ftpSyntax,
  httpSyntax,
  httpsSyntax,
  gopherSyntax,
  fileSyntax,
  genericSyntax({ schemes: ["mailto", "news", "nntp", "telnet", "wais", "prospero"] }),
];
