import { readFileSync } from "node:fs";
import { type Grammar, readGrammar } from "./bnf.ts";

/** The grammar as printed in RFC 1738 §5. */
export const SECTION_5: Grammar = readGrammar(
  readFileSync(new URL("../fixtures/rfc1738-section-5.txt", import.meta.url), "utf8"),
);
