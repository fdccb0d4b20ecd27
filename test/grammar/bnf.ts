/** The right side of a production. */
export type Expression =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly parts: readonly Expression[] }
  | { readonly kind: "optional"; readonly part: Expression }
  | { readonly kind: "repeat"; readonly least: number; readonly part: Expression };

/** Productions by name, in the order of the text. */
export type Grammar = ReadonlyMap<string, Expression>;

const PRODUCTION = /^([A-Za-z][\w+-]*)\s*=(.*)$/;

/**
 * One token: a quoted literal, the quote itself as `<">`, `n*` or `*`, a name, a mark, or a comment. A bare "/" is a
 * literal: RFC 1738 designates alternatives by "|", and its one "/" without quotes is an erratum (EID 5118).
 */
const TOKEN =
  /\s*(?:"(?<literal>[^"]+)"|(?<quote><">)|(?<least>\d*)\*|(?<name>[A-Za-z][\w+-]*)|(?<slash>\/)|(?<mark>[[\]|])|;.*)/y;

interface Token {
  readonly kind: "literal" | "repeat" | "name" | "mark";
  readonly text: string;
}

/**
 * Parses the notation of RFC 1738 §5: "the conventions of RFC822, except that "|" is used to designate alternatives,
 * and brackets [] are used around optional or repeated elements". Skips prose before the first production. The
 * productions replace or complete those of `base`, by default none.
 *
 * @throws SyntaxError for anything else, and for a name that is used and not defined.
 */
export function readGrammar(text: string, base: Grammar = new Map()): Grammar {
  const bodies = new Map<string, string[]>();
  let body: string[] | undefined;
  for (const line of text.split("\n")) {
    const [, name, rest] = PRODUCTION.exec(line) ?? [];
    if (name !== undefined && rest !== undefined) {
      if (bodies.has(name)) throw new SyntaxError(`${name} is defined twice`);
      bodies.set(name, (body = [rest]));
    } else if (/^\s*(?:;.*)?$/.test(line) || bodies.size === 0) {
      body = undefined;
    } else if (body && /^\s/.test(line)) {
      body.push(line);
    } else throw new SyntaxError(`neither a production nor its continuation: ${line}`);
  }
  const read = [...bodies].map(([name, lines]) => [name, readBody(name, lines.flatMap(tokens))] as const);
  const grammar: Grammar = new Map([...base, ...read]);
  for (const [name, expression] of grammar) {
    const missing = namesIn(expression).find((used) => !grammar.has(used));
    if (missing !== undefined) throw new SyntaxError(`${name} uses ${missing}, which is not defined`);
  }
  return grammar;
}

/** Returns the names in an expression. */
export function namesIn(expression: Expression): string[] {
  if (expression.kind === "name") return [expression.name];
  if (expression.kind === "literal") return [];
  return "part" in expression ? namesIn(expression.part) : expression.parts.flatMap(namesIn);
}

function tokens(line: string): Token[] {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  while (line.slice(TOKEN.lastIndex).trim() !== "") {
    const groups = TOKEN.exec(line)?.groups;
    if (!groups) throw new SyntaxError(`not in the notation: ${line}`);
    const { literal, quote, least, name, slash, mark } = groups;
    const text = literal ?? slash ?? (quote && '"');
    if (text !== undefined) found.push({ kind: "literal", text });
    else if (least !== undefined) found.push({ kind: "repeat", text: least });
    else if (name !== undefined) found.push({ kind: "name", text: name });
    else if (mark !== undefined) found.push({ kind: "mark", text: mark });
  }
  return found;
}

function readBody(name: string, all: readonly Token[]): Expression {
  let at = 0;
  const isMark = (text: string): boolean => all[at]?.kind === "mark" && all[at]?.text === text;

  function choice(): Expression {
    const parts = [sequence()];
    while (isMark("|")) {
      at++;
      parts.push(sequence());
    }
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: "choice", parts };
  }

  function sequence(): Expression {
    const parts: Expression[] = [];
    while (at < all.length && !isMark("|") && !isMark("]")) parts.push(element());
    const [first] = parts;
    if (!first) throw new SyntaxError(`an alternative of ${name} is empty`);
    return parts.length === 1 ? first : { kind: "sequence", parts };
  }

  function element(): Expression {
    if (isMark("[")) return { kind: "optional", part: brackets() };
    const token = all[at++];
    if (token?.kind === "literal") return { kind: "literal", text: token.text };
    if (token?.kind === "name") return { kind: "name", name: token.text };
    if (token?.kind !== "repeat") throw new SyntaxError(`${name} stops short`);
    // Brackets after "n*" group the repeated element and do not make it optional.
    return { kind: "repeat", least: Number(token.text), part: isMark("[") ? brackets() : element() };
  }

  function brackets(): Expression {
    at++;
    const part = choice();
    if (!isMark("]")) throw new SyntaxError(`a bracket of ${name} is not closed`);
    at++;
    return part;
  }

  const whole = choice();
  if (at < all.length) throw new SyntaxError(`a bracket of ${name} is not opened`);
  return whole;
}
