import { readFileSync } from "node:fs";
import { type BnfGrammar, parseBnfGrammar } from "./bnf-parser.ts";

/** The grammar that is printed in RFC 1738 §5. */
export const RFC1738_GRAMMAR: BnfGrammar = parseBnfGrammar(
  readFileSync(new URL("../fixtures/rfc1738-section-5.txt", import.meta.url), "utf8"),
);
