/** The right side of a BNF production, as a tree. */
export type GrammarExpression =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "sequence"; readonly parts: readonly GrammarExpression[] }
  | { readonly kind: "choice"; readonly parts: readonly GrammarExpression[] }
  | { readonly kind: "optional"; readonly part: GrammarExpression }
  | { readonly kind: "repeat"; readonly minRepetitions: number; readonly part: GrammarExpression };

/** The productions of a grammar by name, in the order of their definition. */
export type BnfGrammar = ReadonlyMap<string, GrammarExpression>;

const BNF_PRODUCTION = /^([A-Za-z][\w+-]*)\s*=(.*)$/;

/**
 * Matches one token of a production: a quoted literal, `<">`, `n*` or `*`, a name, a bracket or "|", or a comment. In
 * the BNF, a "/" without quotes is a literal, because RFC 1738 designates alternatives by "|" (erratum EID 5118).
 */
const BNF_TOKEN =
  /\s*(?:"(?<literal>[^"]+)"|(?<quote><">)|(?<least>\d*)\*|(?<name>[A-Za-z][\w+-]*)|(?<slash>\/)|(?<operator>[[\]|])|;.*)/y;

interface BnfToken {
  readonly kind: "literal" | "repeat" | "name" | "operator";
  readonly text: string;
}

/**
 * Parses a grammar in the notation of RFC 1738 §5: "the conventions of RFC822, except that "|" is used to designate
 * alternatives, and brackets [] are used around optional or repeated elements". The text before the first production
 * is ignored. The productions replace or extend those of `base`, which is empty by default.
 * @throws SyntaxError for text in another notation, and for a name that is used and not defined.
 */
export function parseBnfGrammar(text: string, base: BnfGrammar = new Map()): BnfGrammar {
  const bodies = new Map<string, string[]>();
  let body: string[] | undefined;
  for (const line of text.split("\n")) {
    const [, name, rest] = BNF_PRODUCTION.exec(line) ?? [];
    if (name !== undefined && rest !== undefined) {
      if (bodies.has(name)) throw new SyntaxError(`${name} is defined twice`);
      bodies.set(name, (body = [rest]));
    } else if (/^\s*(?:;.*)?$/.test(line) || bodies.size === 0) {
      body = undefined;
    } else if (body && /^\s/.test(line)) {
      body.push(line);
    } else throw new SyntaxError(`the line is neither a production nor its continuation: ${line}`);
  }
  const read = [...bodies].map(
    ([name, lines]) => [name, parseProduction(name, lines.flatMap(tokenizeLine))] as const,
  );
  const grammar: BnfGrammar = new Map([...base, ...read]);
  for (const [name, expression] of grammar) {
    const missing = listReferencedProductions(expression).find((used) => !grammar.has(used));
    if (missing !== undefined) throw new SyntaxError(`${name} uses ${missing}, which is not defined`);
  }
  return grammar;
}

/** Returns the names of the BNF productions that an expression of the grammar refers to. */
export function listReferencedProductions(expression: GrammarExpression): string[] {
  if (expression.kind === "name") return [expression.name];
  if (expression.kind === "literal") return [];
  return "part" in expression
    ? listReferencedProductions(expression.part)
    : expression.parts.flatMap(listReferencedProductions);
}

function tokenizeLine(line: string): BnfToken[] {
  const found: BnfToken[] = [];
  BNF_TOKEN.lastIndex = 0;
  while (line.slice(BNF_TOKEN.lastIndex).trim() !== "") {
    const groups = BNF_TOKEN.exec(line)?.groups;
    if (!groups) throw new SyntaxError(`the line is not in the notation of RFC 1738: ${line}`);
    const { literal, quote, least, name, slash, operator } = groups;
    const text = literal ?? slash ?? (quote && '"');
    if (text !== undefined) found.push({ kind: "literal", text });
    else if (least !== undefined) found.push({ kind: "repeat", text: least });
    else if (name !== undefined) found.push({ kind: "name", text: name });
    else if (operator !== undefined) found.push({ kind: "operator", text: operator });
  }
  return found;
}

function parseProduction(name: string, all: readonly BnfToken[]): GrammarExpression {
  let at = 0;
  const isOperator = (text: string): boolean => all[at]?.kind === "operator" && all[at]?.text === text;

  function parseChoice(): GrammarExpression {
    const parts = [parseSequence()];
    while (isOperator("|")) {
      at++;
      parts.push(parseSequence());
    }
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: "choice", parts };
  }

  function parseSequence(): GrammarExpression {
    const parts: GrammarExpression[] = [];
    while (at < all.length && !isOperator("|") && !isOperator("]")) parts.push(parseElement());
    const [first] = parts;
    if (!first) throw new SyntaxError(`an alternative of ${name} is empty`);
    return parts.length === 1 ? first : { kind: "sequence", parts };
  }

  function parseElement(): GrammarExpression {
    if (isOperator("[")) return { kind: "optional", part: parseBrackets() };
    const token = all[at++];
    if (token?.kind === "literal") return { kind: "literal", text: token.text };
    if (token?.kind === "name") return { kind: "name", name: token.text };
    if (token?.kind !== "repeat") throw new SyntaxError(`the production ${name} is incomplete`);
    // In the BNF of RFC 1738, brackets after "n*" group the repeated elements, and do not make them optional.
    return {
      kind: "repeat",
      minRepetitions: Number(token.text),
      part: isOperator("[") ? parseBrackets() : parseElement(),
    };
  }

  function parseBrackets(): GrammarExpression {
    at++;
    const part = parseChoice();
    if (!isOperator("]")) throw new SyntaxError(`the production ${name} has a "[" without a "]"`);
    at++;
    return part;
  }

  const whole = parseChoice();
  if (at < all.length) throw new SyntaxError(`the production ${name} has a "]" without a "["`);
  return whole;
}
