import { GenericUrl, type Url } from "@anyscheme/core/syntax";
import { GrammarAcceptor } from "./acceptor.ts";
import type { BnfGrammar } from "./bnf-parser.ts";
import type { SchemeComparedWithGrammar } from "./schemes-compared-with-grammar.ts";

/** Compares the parser of a scheme with the acceptor of its production in the grammar. */
export class ParserGrammarComparer {
  readonly scheme: SchemeComparedWithGrammar;
  /** The number of texts for which the parser and the grammar of RFC 1738 were compared. */
  textCount = 0;
  /** The number of compared texts that the grammar of RFC 1738 accepts. */
  sentenceCount = 0;
  readonly #grammar: BnfGrammar;
  readonly #acceptor: GrammarAcceptor;
  readonly #acceptors: Map<string, GrammarAcceptor> = new Map();

  constructor(scheme: SchemeComparedWithGrammar, grammar: BnfGrammar) {
    this.scheme = scheme;
    this.#grammar = grammar;
    this.#acceptor = this.#getAcceptor(scheme.production);
  }

  /** Returns a report when parser and grammar disagree about a text, and else `undefined`. */
  reportDisagreement(text: string): string | undefined {
    this.textCount++;
    if (this.#acceptor.accepts(text)) this.sentenceCount++;
    const disagreement = this.#describeDisagreement(text);
    if (disagreement === undefined) return undefined;
    const shortest = minimizeFailingText(
      text,
      (shorter) => this.#describeDisagreement(shorter) !== undefined,
    );
    return [
      `${this.scheme.production}: ${disagreement}`,
      `  ${JSON.stringify(text)}`,
      `  shortest text: ${JSON.stringify(shortest)}, where ${this.#describeDisagreement(shortest)}`,
    ].join("\n");
  }

  #getAcceptor(production: string): GrammarAcceptor {
    const acceptor = this.#acceptors.get(production) ?? new GrammarAcceptor(this.#grammar, production);
    this.#acceptors.set(production, acceptor);
    return acceptor;
  }

  #describeDisagreement(text: string): string | undefined {
    const { syntax } = this.scheme;
    const sentence = this.#acceptor.accepts(text);
    const { url, fault } = syntax.tryParse(text, { mode: "rfc1738" });
    const result = fault ? `${fault.code} at ${fault.index}` : "a URL";
    if (sentence !== (url !== undefined)) {
      return `the grammar ${sentence ? "accepts" : "rejects"} the text, the mode rfc1738 returns ${result}`;
    }
    if (syntax.canParse(text, { mode: "rfc1738" }) !== sentence)
      return `canParse disagrees with tryParse, which returns ${result}`;
    if (!url) return undefined;
    return this.#describeWrongComponents(url, text) ?? this.#describeWrongFormat(text);
  }

  /** Returns a report unless the parsed components match their productions, and together form the text. */
  #describeWrongComponents(url: Url, text: string): string | undefined {
    const parts = this.scheme.splitIntoParts(url);
    for (const part of parts) {
      if (typeof part === "string") continue;
      const [production, component] = part;
      if (!this.#getAcceptor(production).accepts(component))
        return `${JSON.stringify(component)} does not match the production ${production}`;
    }
    const joined = parts.map((part) => (typeof part === "string" ? part : part[1])).join("");
    return joined === lowerCaseScheme(text) ? undefined : `the components form ${JSON.stringify(joined)}`;
  }

  /** Returns a report unless `format` returns the text unchanged in both modes. */
  #describeWrongFormat(text: string): string | undefined {
    const { syntax } = this.scheme;
    const strict = syntax.parse(text, { mode: "rfc1738" });
    // Modern mode reads an authority in an opaque text that begins with "//" (RFC 3986 §3.2).
    const isOpaque = strict instanceof GenericUrl && !strict.hasAuthority;
    if (isOpaque && strict.schemePart.startsWith("//"))
      return syntax.format(strict) === text
        ? undefined
        : `format returns ${JSON.stringify(syntax.format(strict))}`;
    for (const mode of ["rfc1738", "modern"] as const) {
      const { url, fault } = syntax.tryParse(text, { mode });
      // Modern mode rejects URLs in which parsers of later standards may find another host.
      if (mode === "modern" && /^(?:login-question-mark|bad-a-label)$/.test(fault?.code ?? "")) continue;
      if (mode === "modern" && /^news:\/\//i.test(text)) continue;
      if (!url) return `${mode} mode rejects the text`;
      if (url.deviations.length > 0) return `${mode} mode reports deviations`;
      const formatted = syntax.format(url);
      const hasLogin = "user" in url && url.user !== undefined;
      const expected = hasLogin ? escapeLoginQuestionMarks(text) : text;
      if (formatted !== expected) return `format returns ${JSON.stringify(formatted)}`;
    }
    return undefined;
  }
}

/** Returns the text with its scheme name in lower case (RFC 1738 §2.1). */
function lowerCaseScheme(text: string): string {
  const colon = text.indexOf(":");
  return text.slice(0, colon).toLowerCase() + text.slice(colon);
}

/**
 * Escapes each "?" in the user and password of a URL as "%3F", as `format` does, because other parsers end the host at
 * a "?".
 */
function escapeLoginQuestionMarks(text: string): string {
  const [head = ""] = /^[^:]*:\/\/[^/@]*@/.exec(text) ?? [];
  return head.includes("?") ? lowerCaseScheme(head.replaceAll("?", "%3F") + text.slice(head.length)) : text;
}

/** Removes characters from a text while the predicate remains true, as in delta debugging. */
export function minimizeFailingText(text: string, predicate: (text: string) => boolean): string {
  let shortest = text;
  for (let size = shortest.length; size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at + size <= shortest.length;) {
      const shorter = shortest.slice(0, at) + shortest.slice(at + size);
      if (predicate(shorter)) shortest = shorter;
      else at++;
    }
  }
  return shortest;
}
