import { type Expression, type Grammar, namesIn } from "./bnf.ts";
import type { Random } from "./random.ts";

/** The length in characters after which optional parts and repetitions end. */
const ENOUGH = 400;

/** Generates random sentences of a grammar, and counts the branches that it took. */
export class Sentences {
  readonly #grammar: Grammar;
  readonly #random: Random;
  /** The number of uses of each alternative, option and repetition. */
  readonly #ways: Map<Expression, number[]> = new Map();
  #length = 0;

  constructor(grammar: Grammar, random: Random) {
    this.#grammar = grammar;
    this.#random = random;
  }

  /** Returns a sentence of a production. */
  of(production: string): string {
    this.#length = 0;
    return this.#write({ kind: "name", name: production });
  }

  /** Returns the unused branches in the reachable productions, as `production: branch`. */
  untried(production: string): string[] {
    return [...reachable(this.#grammar, production)].flatMap(([name, expression]) =>
      waysIn(expression).flatMap(([node, ways]) =>
        ways.filter((_, way) => !this.#ways.get(node)?.[way]).map((way) => `${name}: ${way}`),
      ),
    );
  }

  #write(expression: Expression): string {
    switch (expression.kind) {
      case "literal":
        this.#length += expression.text.length;
        return expression.text;
      case "name": {
        const body = this.#grammar.get(expression.name);
        if (!body) throw new Error(`there is no production ${expression.name}`);
        return this.#write(body);
      }
      case "sequence":
        return expression.parts.map((part) => this.#write(part)).join("");
      case "choice": {
        const part = expression.parts[this.#way(expression, expression.parts.length)];
        return part ? this.#write(part) : "";
      }
      case "optional":
        return this.#way(expression, 2) === 1 ? this.#write(expression.part) : "";
      default:
        return this.#repeat(expression, expression.least, expression.part);
    }
  }

  /** Rarely repeats many times, since a name of 300 characters is legal as well. */
  #repeat(node: Expression, least: number, part: Expression): string {
    const most = this.#random.below(200) === 0 ? 300 : 6;
    const more = this.#way(node, 2) === 0 ? 0 : 1 + this.#random.below(most);
    let text = "";
    for (let count = 0; count < least + more; count++) {
      if (count >= least && this.#length > ENOUGH) break;
      text += this.#write(part);
    }
    return text;
  }

  /** Chooses one of `count` branches, preferably one that was never used. */
  #way(node: Expression, count: number): number {
    let gone = this.#ways.get(node);
    if (!gone) this.#ways.set(node, (gone = Array.from({ length: count }, () => 0)));
    const fresh = gone.indexOf(0);
    const way = fresh >= 0 ? fresh : this.#random.below(count);
    gone[way] = (gone[way] ?? 0) + 1;
    return way;
  }
}

/** Returns a production and those that it uses, directly or indirectly. */
function reachable(grammar: Grammar, production: string): Map<string, Expression> {
  const found = new Map<string, Expression>();
  const names = new Set([production]);
  for (const name of names) {
    const expression = grammar.get(name);
    if (!expression) throw new Error(`there is no production ${name}`);
    found.set(name, expression);
    for (const used of namesIn(expression)) names.add(used);
  }
  return found;
}

/** Returns every part of an expression with several branches, and the names of its branches. */
export function waysIn(expression: Expression): [Expression, string[]][] {
  if (expression.kind === "literal" || expression.kind === "name") return [];
  if ("part" in expression) {
    const ways =
      expression.kind === "optional"
        ? ["option absent", "option present"]
        : ["repeated least", "repeated more"];
    return [[expression, ways], ...waysIn(expression.part)];
  }
  const inside = expression.parts.flatMap(waysIn);
  if (expression.kind === "sequence") return inside;
  return [[expression, expression.parts.map((_, way) => `alternative ${way + 1}`)], ...inside];
}
