import type { Expression, Grammar } from "./bnf.ts";

/** One state of the automaton: the set of positions in the grammar after a text. A rejected text has none. */
export interface State {
  readonly places: readonly number[];
  readonly accepting: boolean;
  /** Indexed by US-ASCII character code; computed on first use. */
  readonly next: (State | undefined)[];
}

/** RFC 1738 §2.2: "URLs are written only with the graphic printable characters of the US-ASCII coded character set." */
export const ASCII = 128;

/** A position: its transitions for characters, and its transitions without a character. */
interface Place {
  readonly on: Map<number, number[]>;
  readonly free: number[];
}

/**
 * Accepts exactly the texts of one production.
 * Accepts the grammar of RFC 1738, which has no recursion, by a finite automaton. Thompson's construction gives the
 * NFA. Its subsets become states on demand.
 */
export class Acceptor {
  readonly start: State;
  readonly #places: Place[] = [];
  readonly #end: number;
  readonly #states: Map<string, State> = new Map();

  constructor(grammar: Grammar, production: string) {
    const first = this.#place();
    this.#end = this.#place();
    this.#lay(grammar, { kind: "name", name: production }, first, this.#end, []);
    this.start = this.#state([first]);
  }

  accepts(text: string): boolean {
    return this.behind(text).accepting;
  }

  /** Returns the state after a text, from a given state or from the start. */
  behind(text: string, from: State = this.start): State {
    let state = from;
    for (let index = 0; index < text.length && state.places.length > 0; index++) {
      state = this.after(state, text.charCodeAt(index));
    }
    return state;
  }

  /** Returns the next state for a character. A character outside US-ASCII rejects the text. */
  after(state: State, code: number): State {
    if (code >= ASCII) return this.#state([]);
    return (state.next[code] ??= this.#state(
      state.places.flatMap((place) => this.#places[place]?.on.get(code) ?? []),
    ));
  }

  #place(): number {
    return this.#places.push({ on: new Map(), free: [] }) - 1;
  }

  #free(from: number, to: number): void {
    this.#places[from]?.free.push(to);
  }

  /** Adds the paths between two positions for the texts of an expression. */
  #lay(grammar: Grammar, expression: Expression, from: number, to: number, within: readonly string[]): void {
    const lay = (part: Expression, start: number, end: number): void =>
      this.#lay(grammar, part, start, end, within);
    /** Connects parts in sequence. */
    const chain = <Part>(
      parts: readonly Part[],
      layPart: (part: Part, start: number, end: number) => void,
    ): void => {
      let at = from;
      parts.forEach((part, index) => {
        const next = index === parts.length - 1 ? to : this.#place();
        layPart(part, at, next);
        at = next;
      });
    };
    switch (expression.kind) {
      case "literal":
        return chain(Array.from(expression.text), (character, start, end) =>
          this.#step(start, character, end),
        );
      case "name": {
        const { name } = expression;
        const body = grammar.get(name);
        if (!body) throw new Error(`there is no production ${name}`);
        if (within.includes(name)) throw new Error(`${name} is recursive`);
        return this.#lay(grammar, body, from, to, [...within, name]);
      }
      case "sequence":
        return chain(expression.parts, lay);
      case "choice":
        for (const part of expression.parts) lay(part, from, to);
        return undefined;
      case "optional":
        this.#free(from, to);
        return lay(expression.part, from, to);
      case "repeat": {
        const { part, least } = expression;
        const loop = this.#place();
        let at = from;
        for (let count = 0; count < least; count++) {
          const next = this.#place();
          lay(part, at, next);
          at = next;
        }
        this.#free(at, loop);
        lay(part, loop, loop);
        this.#free(loop, to);
        return undefined;
      }
    }
  }

  #step(from: number, character: string, to: number): void {
    const code = character.charCodeAt(0);
    if (code >= ASCII) throw new Error(`the grammar has a character outside US-ASCII: ${character}`);
    const on = this.#places[from]?.on;
    const known = on?.get(code);
    if (known) known.push(to);
    else on?.set(code, [to]);
  }

  #state(from: readonly number[]): State {
    const reached = new Set(from);
    for (const place of reached) for (const next of this.#places[place]?.free ?? []) reached.add(next);
    const places = [...reached].toSorted((a, b) => a - b);
    const key = places.join();
    const known = this.#states.get(key);
    if (known) return known;
    const state: State = { places, accepting: reached.has(this.#end), next: [] };
    this.#states.set(key, state);
    return state;
  }
}
