import { type GrammarExpression, type BnfGrammar, parseBnfGrammar } from "./bnf-parser.ts";

/** A deliberate change of the grammar of RFC 1738 §5. */
export interface Rfc1738GrammarChange {
  /** The change in words, with the section of RFC 1738 that requires the change. */
  readonly description: string;
  /** The production of the grammar that is changed. */
  readonly production: string;
  /**
   * The shortest text that only RFC 1738 §5 or only the changed production accepts. Undefined when RFC 1738 §5 has no
   * such production.
   */
  readonly shortestDifferingText: string | undefined;
  /** Returns the grammar with the given change. */
  readonly applyToGrammar: (grammar: BnfGrammar) => BnfGrammar;
}

/** Returns a function that replaces or adds productions, which are written in the notation of §5. */
function replaceProductions(text: string): (grammar: BnfGrammar) => BnfGrammar {
  return (grammar) => parseBnfGrammar(text, grammar);
}

export const RFC1738_GRAMMAR_CHANGES: readonly Rfc1738GrammarChange[] = [
  {
    description: "https and gophers, which §5 does not define, have the grammar of http and gopher",
    production: "httpsurl",
    shortestDifferingText: undefined,
    applyToGrammar: replaceProductions(`
httpsurl   = "https://" hostport [ "/" hpath [ "?" search ]]
gophersurl = "gophers://" hostport [ "/" [ gtype [ selector
             [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
`),
  },
  {
    description: "a scheme name may be written in upper case (§2.1: equivalent to lower case)",
    production: "genericurl",
    shortestDifferingText: "A:",
    applyToGrammar: replaceProductions('scheme = 1*[ alpha | digit | "+" | "-" | "." ]'),
  },
  {
    description: "a scheme name at the beginning of a production may be written in upper case (§2.1)",
    production: "mailtourl",
    shortestDifferingText: "MAILTO:!",
    applyToGrammar: allowUpperCaseSchemes,
  },
  {
    description: "each part of a host number is at most 255 and has no leading zero (§3.1: an IP address)",
    production: "hostnumber",
    shortestDifferingText: "0.0.0.00",
    applyToGrammar: replaceProductions(`
hostnumber = octet "." octet "." octet "." octet
octet      = digit | nonzero digit | "1" digit digit | "2" upto4 digit | "25" upto5
nonzero    = "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
upto4      = "0" | "1" | "2" | "3" | "4"
upto5      = upto4 | "5"
`),
  },
  {
    description: "a port is at most 65535, with or without leading zeros (§3.1: a port number)",
    production: "port",
    shortestDifferingText: "65536",
    applyToGrammar: replaceProductions(`
port       = *"0" portnumber
portnumber = digit | digit digit | digit digit digit | digit digit digit digit | fivedigits
fivedigits = upto5 digit digit digit digit | "6" upto4 digit digit digit | "65" upto4 digit digit |
             "655" upto2 digit | "6553" upto5
upto2      = "0" | "1" | "2"
upto4      = upto2 | "3" | "4"
upto5      = upto4 | "5"
`),
  },
];

/**
 * Returns the grammar that the mode rfc1738 implements: the RFC's grammar with all changes except `without`.
 */
export function applyGrammarChanges(grammar: BnfGrammar, without?: Rfc1738GrammarChange): BnfGrammar {
  return RFC1738_GRAMMAR_CHANGES.filter((interpretation) => interpretation !== without).reduce(
    (changed, { applyToGrammar: apply }) => apply(changed),
    grammar,
  );
}

/** Replaces each literal such as `"ftp://"` by a sequence whose letters may be in upper or lower case. */
function allowUpperCaseSchemes(grammar: BnfGrammar): BnfGrammar {
  return new Map([...grammar].map(([name, expression]) => [name, allowUpperCase(expression)]));
}

function allowUpperCase(expression: GrammarExpression): GrammarExpression {
  if (expression.kind === "literal") {
    const [, scheme, rest] = /^([a-z]+)(:.*)$/.exec(expression.text) ?? [];
    if (scheme === undefined || rest === undefined) return expression;
    const letters = Array.from(scheme, (letter): GrammarExpression => {
      const parts = [letter, letter.toUpperCase()].map((text): GrammarExpression => ({
        kind: "literal",
        text,
      }));
      return { kind: "choice", parts };
    });
    return { kind: "sequence", parts: [...letters, { kind: "literal", text: rest }] };
  }
  if (expression.kind === "name") return expression;
  return "part" in expression
    ? { ...expression, part: allowUpperCase(expression.part) }
    : { ...expression, parts: expression.parts.map(allowUpperCase) };
}
