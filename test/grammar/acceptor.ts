import type { GrammarExpression, BnfGrammar } from "./bnf-parser.ts";

/**
 * A state of the automaton: the set of positions in the grammar after a text. After a text that the grammar rejects,
 * the set of positions is empty.
 */
export interface AutomatonState {
  readonly positions: readonly number[];
  readonly isAccepting: boolean;
  /** The next states of the automaton, by US-ASCII character code. Each next state is computed on first use. */
  readonly nextStates: (AutomatonState | undefined)[];
}

/** RFC 1738 §2.2: "URLs are written only with the graphic printable characters of the US-ASCII coded character set." */
export const ASCII_CODE_COUNT = 128;

/** A position in the grammar: its transitions by character code, and its transitions without a character. */
interface GrammarPosition {
  readonly transitions: Map<number, number[]>;
  readonly emptyTransitions: number[];
}

/**
 * Accepts exactly the texts of one production of a grammar without recursion, such as that of RFC 1738. Thompson's
 * construction creates an NFA, whose sets of positions become states of a DFA on demand.
 */
export class GrammarAcceptor {
  readonly startState: AutomatonState;
  readonly #positions: GrammarPosition[] = [];
  readonly #end: number;
  readonly #states: Map<string, AutomatonState> = new Map();

  constructor(grammar: BnfGrammar, production: string) {
    const first = this.#addPosition();
    this.#end = this.#addPosition();
    this.#addExpression(grammar, { kind: "name", name: production }, first, this.#end, []);
    this.startState = this.#getState([first]);
  }

  accepts(text: string): boolean {
    return this.stateAfterText(text).isAccepting;
  }

  /** Returns the state after a text, from a given state or from the start state. */
  stateAfterText(text: string, initialState: AutomatonState = this.startState): AutomatonState {
    let state = initialState;
    for (let index = 0; index < text.length && state.positions.length > 0; index++) {
      state = this.stateAfterCharacter(state, text.charCodeAt(index));
    }
    return state;
  }

  /** Returns the next state of the automaton for a character. A character outside US-ASCII rejects the text. */
  stateAfterCharacter(state: AutomatonState, code: number): AutomatonState {
    if (code >= ASCII_CODE_COUNT) return this.#getState([]);
    return (state.nextStates[code] ??= this.#getState(
      state.positions.flatMap((position) => this.#positions[position]?.transitions.get(code) ?? []),
    ));
  }

  #addPosition(): number {
    return this.#positions.push({ transitions: new Map(), emptyTransitions: [] }) - 1;
  }

  #addEmptyTransition(from: number, to: number): void {
    this.#positions[from]?.emptyTransitions.push(to);
  }

  /**
   * Adds transitions between two positions of the automaton for the texts that an expression of the grammar matches.
   */
  #addExpression(
    grammar: BnfGrammar,
    expression: GrammarExpression,
    from: number,
    to: number,
    within: readonly string[],
  ): void {
    const addPart = (part: GrammarExpression, start: number, end: number): void =>
      this.#addExpression(grammar, part, start, end, within);
    /**
     * Adds transitions for a sequence of grammar parts to the automaton, with a new position between every two parts.
     */
    const chain = <Part>(
      parts: readonly Part[],
      addStep: (part: Part, start: number, end: number) => void,
    ): void => {
      let at = from;
      parts.forEach((part, index) => {
        const next = index === parts.length - 1 ? to : this.#addPosition();
        addStep(part, at, next);
        at = next;
      });
    };
    switch (expression.kind) {
      case "literal":
        return chain(Array.from(expression.text), (character, start, end) =>
          this.#addTransition(start, character, end),
        );
      case "name": {
        const { name } = expression;
        const body = grammar.get(name);
        if (!body) throw new Error(`the grammar has no production ${name}`);
        if (within.includes(name)) throw new Error(`${name} is recursive`);
        return this.#addExpression(grammar, body, from, to, [...within, name]);
      }
      case "sequence":
        return chain(expression.parts, addPart);
      case "choice":
        for (const part of expression.parts) addPart(part, from, to);
        return undefined;
      case "optional":
        this.#addEmptyTransition(from, to);
        return addPart(expression.part, from, to);
      case "repeat": {
        const { part, minRepetitions: least } = expression;
        const loop = this.#addPosition();
        let at = from;
        for (let count = 0; count < least; count++) {
          const next = this.#addPosition();
          addPart(part, at, next);
          at = next;
        }
        this.#addEmptyTransition(at, loop);
        addPart(part, loop, loop);
        this.#addEmptyTransition(loop, to);
        return undefined;
      }
    }
  }

  #addTransition(from: number, character: string, to: number): void {
    const code = character.charCodeAt(0);
    if (code >= ASCII_CODE_COUNT)
      throw new Error(`the grammar has a character outside US-ASCII: ${character}`);
    const transitions = this.#positions[from]?.transitions;
    const known = transitions?.get(code);
    if (known) known.push(to);
    else transitions?.set(code, [to]);
  }

  #getState(startPositions: readonly number[]): AutomatonState {
    const reached = new Set(startPositions);
    for (const position of reached)
      for (const next of this.#positions[position]?.emptyTransitions ?? []) reached.add(next);
    const positions = [...reached].toSorted((a, b) => a - b);
    const key = positions.join();
    const known = this.#states.get(key);
    if (known) return known;
    const state: AutomatonState = {
      positions,
      isAccepting: reached.has(this.#end),
      nextStates: [],
    };
    this.#states.set(key, state);
    return state;
  }
}
