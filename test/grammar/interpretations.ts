import { type Expression, type Grammar, readGrammar } from "./bnf.ts";

/** A deliberate departure from the grammar of RFC 1738 §5. */
export interface Interpretation {
  /** A reading of RFC 1738, with the text that requires it. */
  readonly description: string;
  /** The production in which the departure is visible. */
  readonly production: string;
  /**
   * The first of the shortest texts on which §5 and the reading differ. Undefined when §5 has no such production.
   */
  readonly shortestDifference: string | undefined;
  readonly apply: (grammar: Grammar) => Grammar;
}

/** Productions in the notation of §5 that replace or complete those of the RFC. */
function productions(text: string): (grammar: Grammar) => Grammar {
  return (grammar) => readGrammar(text, grammar);
}

export const INTERPRETATIONS: readonly Interpretation[] = [
  {
    description: "https and gophers, which §5 does not know, have the grammar of http and gopher",
    production: "httpsurl",
    shortestDifference: undefined,
    apply: productions(`
httpsurl   = "https://" hostport [ "/" hpath [ "?" search ]]
gophersurl = "gophers://" hostport [ "/" [ gtype [ selector
             [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
`),
  },
  {
    description: "a scheme name may be written in upper case (§2.1: equivalent to lower case)",
    production: "genericurl",
    shortestDifference: "A:",
    apply: productions('scheme = 1*[ alpha | digit | "+" | "-" | "." ]'),
  },
  {
    description: "so may the scheme name that begins the production of a scheme (§2.1)",
    production: "mailtourl",
    shortestDifference: "MAILTO:!",
    apply: schemesInAnyCase,
  },
  {
    description: "a number of a host number is at most 255 and has no leading zero (§3.1: an IP address)",
    production: "hostnumber",
    shortestDifference: "0.0.0.00",
    apply: productions(`
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
    shortestDifference: "65536",
    apply: productions(`
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

/** Returns the grammar of strict mode: that of the RFC, with every reading except at most one. */
export function withReadings(grammar: Grammar, without?: Interpretation): Grammar {
  return INTERPRETATIONS.filter((reading) => reading !== without).reduce(
    (so, { apply }) => apply(so),
    grammar,
  );
}

/** Converts `"ftp://"` to `f t p "://"`, in which each letter has two alternatives. */
function schemesInAnyCase(grammar: Grammar): Grammar {
  return new Map([...grammar].map(([name, expression]) => [name, anyCase(expression)]));
}

function anyCase(expression: Expression): Expression {
  if (expression.kind === "literal") {
    const [, scheme, rest] = /^([a-z]+)(:.*)$/.exec(expression.text) ?? [];
    if (scheme === undefined || rest === undefined) return expression;
    const letters = Array.from(scheme, (letter): Expression => {
      const parts = [letter, letter.toUpperCase()].map((text): Expression => ({ kind: "literal", text }));
      return { kind: "choice", parts };
    });
    return { kind: "sequence", parts: [...letters, { kind: "literal", text: rest }] };
  }
  if (expression.kind === "name") return expression;
  return "part" in expression
    ? { ...expression, part: anyCase(expression.part) }
    : { ...expression, parts: expression.parts.map(anyCase) };
}
