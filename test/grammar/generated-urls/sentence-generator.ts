import { type GrammarExpression, type BnfGrammar, listReferencedProductions } from "../bnf-parser.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The length of a sentence in characters above which optional parts are not repeated further. */
const MAX_OPTIONAL_LENGTH = 400;

/** Generates random sentences of a grammar, and counts how often each branch of the grammar was used. */
export class SentenceGenerator {
  readonly #grammar: BnfGrammar;
  readonly #random: SeededRandom;
  /** The number of uses of each branch, by alternative, optional part or repetition. */
  readonly #branchUses: Map<GrammarExpression, number[]> = new Map();
  #length = 0;

  constructor(grammar: BnfGrammar, random: SeededRandom) {
    this.#grammar = grammar;
    this.#random = random;
  }

  /** Returns a random text that matches a production of the grammar. */
  generateSentence(production: string): string {
    this.#length = 0;
    return this.#write({ kind: "name", name: production });
  }

  /** Returns the unused branches of the productions that a production refers to, as `production: branch`. */
  listUnusedBranches(production: string): string[] {
    return [...listReachableProductions(this.#grammar, production)].flatMap(([name, expression]) =>
      listGrammarBranches(expression).flatMap(([node, branches]) =>
        branches
          .filter((_, index) => !this.#branchUses.get(node)?.[index])
          .map((branch) => `${name}: ${branch}`),
      ),
    );
  }

  #write(expression: GrammarExpression): string {
    switch (expression.kind) {
      case "literal":
        this.#length += expression.text.length;
        return expression.text;
      case "name": {
        const body = this.#grammar.get(expression.name);
        if (!body) throw new Error(`the grammar has no production ${expression.name}`);
        return this.#write(body);
      }
      case "sequence":
        return expression.parts.map((part) => this.#write(part)).join("");
      case "choice": {
        const part = expression.parts[this.#chooseBranch(expression, expression.parts.length)];
        return part ? this.#write(part) : "";
      }
      case "optional":
        return this.#chooseBranch(expression, 2) === 1 ? this.#write(expression.part) : "";
      default:
        return this.#repeat(expression, expression.minRepetitions, expression.part);
    }
  }

  /** Generates a repetition. One repetition in 200 may be long, because a name may have 300 characters. */
  #repeat(node: GrammarExpression, least: number, part: GrammarExpression): string {
    const most = this.#random.nextIntegerBelow(200) === 0 ? 300 : 6;
    const more = this.#chooseBranch(node, 2) === 0 ? 0 : 1 + this.#random.nextIntegerBelow(most);
    let text = "";
    for (let count = 0; count < least + more; count++) {
      if (count >= least && this.#length > MAX_OPTIONAL_LENGTH) break;
      text += this.#write(part);
    }
    return text;
  }

  /** Returns the index of one of `count` branches, and prefers a branch that was never used. */
  #chooseBranch(node: GrammarExpression, count: number): number {
    let uses = this.#branchUses.get(node);
    if (!uses) this.#branchUses.set(node, (uses = Array.from({ length: count }, () => 0)));
    const unused = uses.indexOf(0);
    const chosen = unused >= 0 ? unused : this.#random.nextIntegerBelow(count);
    uses[chosen] = (uses[chosen] ?? 0) + 1;
    return chosen;
  }
}

/** Returns a production and all productions that it refers to, directly or indirectly. */
function listReachableProductions(grammar: BnfGrammar, production: string): Map<string, GrammarExpression> {
  const found = new Map<string, GrammarExpression>();
  const names = new Set([production]);
  for (const name of names) {
    const expression = grammar.get(name);
    if (!expression) throw new Error(`the grammar has no production ${name}`);
    found.set(name, expression);
    for (const used of listReferencedProductions(expression)) names.add(used);
  }
  return found;
}

/** Returns each part of an expression that has branches, with the names of the branches. */
export function listGrammarBranches(expression: GrammarExpression): [GrammarExpression, string[]][] {
  if (expression.kind === "literal" || expression.kind === "name") return [];
  if ("part" in expression) {
    const branches =
      expression.kind === "optional"
        ? ["option absent", "option present"]
        : ["minimum repetitions", "more repetitions"];
    return [[expression, branches], ...listGrammarBranches(expression.part)];
  }
  const inside = expression.parts.flatMap(listGrammarBranches);
  if (expression.kind === "sequence") return inside;
  return [[expression, expression.parts.map((_, index) => `alternative ${index + 1}`)], ...inside];
}
