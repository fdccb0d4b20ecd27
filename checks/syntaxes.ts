import { genericSyntax, type Syntax } from "@anyscheme/core/syntax";
import * as ftp from "@anyscheme/scheme-ftp/syntax";
import * as gopher from "@anyscheme/scheme-gopher/syntax";
import * as http from "@anyscheme/scheme-http/syntax";
import * as others from "@anyscheme/scheme-others/syntax";

/** The grammars of all packages, the generic one last. */
export const syntaxes: readonly Syntax[] = [
  ...[ftp, http, gopher, others].flatMap((room) => Object.values(room).filter(isSyntax)),
  genericSyntax(),
];

function isSyntax(value: unknown): value is Syntax {
  return typeof value === "object" && value !== null && "schemes" in value && "tryParse" in value;
}
