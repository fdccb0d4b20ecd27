import type { Url } from "@anyscheme/core/syntax";
import { Acceptor } from "./acceptor.ts";
import type { Grammar } from "./bnf.ts";
import type { ComparedScheme } from "./schemes.ts";

/** Compares one scheme's parser with the acceptor of its production. */
export class Comparison {
  readonly scheme: ComparedScheme;
  /** The number of compared texts, and the number of sentences among them. */
  compared = 0;
  sentences = 0;
  readonly #grammar: Grammar;
  readonly #acceptor: Acceptor;
  readonly #acceptors: Map<string, Acceptor> = new Map();

  constructor(scheme: ComparedScheme, grammar: Grammar) {
    this.scheme = scheme;
    this.#grammar = grammar;
    this.#acceptor = this.#of(scheme.production);
  }

  /** Returns the difference between parser and grammar for a text, or `undefined`. */
  fault(text: string): string | undefined {
    this.compared++;
    if (this.#acceptor.accepts(text)) this.sentences++;
    const wrong = this.#disagreement(text);
    if (wrong === undefined) return undefined;
    const small = smallest(text, (shorter) => this.#disagreement(shorter) !== undefined);
    return [
      `${this.scheme.production}: ${wrong}`,
      `  ${JSON.stringify(text)}`,
      `  smallest: ${JSON.stringify(small)}, where ${this.#disagreement(small)}`,
    ].join("\n");
  }

  #of(production: string): Acceptor {
    const acceptor = this.#acceptors.get(production) ?? new Acceptor(this.#grammar, production);
    this.#acceptors.set(production, acceptor);
    return acceptor;
  }

  #disagreement(text: string): string | undefined {
    const { syntax } = this.scheme;
    const sentence = this.#acceptor.accepts(text);
    const { url, fault } = syntax.tryParse(text, { mode: "strict" });
    const says = fault ? `${fault.code} at ${fault.index}` : "a URL";
    if (sentence !== (url !== undefined)) {
      return `the grammar says ${sentence ? "a sentence" : "none"}, strict mode says ${says}`;
    }
    if (syntax.canParse(text, { mode: "strict" }) !== sentence) return `canParse does not say ${says}`;
    if (!url) return undefined;
    return this.#misread(url, text) ?? this.#misformed(text);
  }

  /** Returns a fault unless the components match their productions and form the text. */
  #misread(url: Url, text: string): string | undefined {
    const pieces = this.scheme.pieces(url);
    for (const piece of pieces) {
      if (typeof piece === "string") continue;
      const [production, component] = piece;
      if (!this.#of(production).accepts(component)) return `${JSON.stringify(component)} is no ${production}`;
    }
    const joined = pieces.map((piece) => (typeof piece === "string" ? piece : piece[1])).join("");
    return joined === folded(text) ? undefined : `the components make ${JSON.stringify(joined)}`;
  }

  /** Returns a fault unless `format` returns the text in both modes. */
  #misformed(text: string): string | undefined {
    const { syntax } = this.scheme;
    for (const mode of ["strict", "tolerant"] as const) {
      const { url } = syntax.tryParse(text, { mode });
      if (!url) return `${mode} mode refuses it`;
      if (url.deviations.length > 0) return `${mode} mode sees deviations`;
      const written = syntax.format(url);
      const hasLogin = "user" in url && url.user !== undefined;
      const expected = hasLogin ? withoutQuestion(text) : text;
      if (written !== expected) return `format writes ${JSON.stringify(written)}`;
    }
    return undefined;
  }
}

/** Returns the text with its scheme name in lower case, RFC 1738 §2.1. */
function folded(text: string): string {
  const colon = text.indexOf(":");
  return text.slice(0, colon).toLowerCase() + text.slice(colon);
}

/**
 * Escapes each "?" in the login of a text as "%3F", as `format` does. Other parsers end the host at the "?".
 */
function withoutQuestion(text: string): string {
  const [head = ""] = /^[^:]*:\/\/[^/@]*@/.exec(text) ?? [];
  return head.includes("?") ? folded(head.replaceAll("?", "%3F") + text.slice(head.length)) : text;
}

/** Removes all parts of a text that are not needed for `holds` to return true. */
export function smallest(text: string, holds: (text: string) => boolean): string {
  let small = text;
  for (let size = small.length; size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at + size <= small.length;) {
      const shorter = small.slice(0, at) + small.slice(at + size);
      if (holds(shorter)) small = shorter;
      else at++;
    }
  }
  return small;
}
