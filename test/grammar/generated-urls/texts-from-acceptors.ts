import { type GrammarAcceptor, ASCII_CODE_COUNT, type AutomatonState } from "../acceptor.ts";
import { MISLEADING_URL_PIECES } from "../misleading-url-pieces.ts";

const ASCII_CODES: readonly number[] = Array.from({ length: ASCII_CODE_COUNT }, (_, code) => code);

/** Returns the shortest text for which two acceptors give a certain pair of verdicts, or `undefined`. */
export function findShortestTextForTwoAcceptors(
  one: GrammarAcceptor,
  other: GrammarAcceptor,
  isWanted: (acceptedByFirst: boolean, acceptedBySecond: boolean) => boolean,
): string | undefined {
  const numbers = new Map<AutomatonState, number>();
  const number = (state: AutomatonState): number => {
    if (!numbers.has(state)) numbers.set(state, numbers.size);
    return numbers.get(state) ?? 0;
  };
  const seen = new Set<string>();
  const queue: [AutomatonState, AutomatonState, string][] = [[one.startState, other.startState, ""]];
  for (const [left, right, text] of queue) {
    const key = `${number(left)} ${number(right)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (isWanted(left.isAccepting, right.isAccepting)) return text;
    for (const code of ASCII_CODES) {
      queue.push([
        one.stateAfterCharacter(left, code),
        other.stateAfterCharacter(right, code),
        text + String.fromCharCode(code),
      ]);
    }
  }
  return undefined;
}

/**
 * Yields texts that cover every transition of the automaton of a URL grammar. Each text leads to a state, and continues
 * with a US-ASCII character or a misleading fragment, and with the shortest text that leads to acceptance.
 */
export function* generateTransitionCoveringTexts(acceptor: GrammarAcceptor): Generator<string> {
  const { textsToState, textsToAcceptance } = findShortestPaths(acceptor);
  const fragments = new Set([
    ...ASCII_CODES.map((code) => String.fromCharCode(code)),
    ...MISLEADING_URL_PIECES,
  ]);
  for (const [state, text] of textsToState) {
    yield text;
    for (const fragment of fragments) {
      const next = acceptor.stateAfterText(fragment, state);
      yield text + fragment;
      // After a rejected fragment, the text continues as it would without the fragment.
      const end = textsToAcceptance.get(next) ?? textsToAcceptance.get(state) ?? "";
      if (end !== "") yield text + fragment + end;
    }
  }
}

/**
 * Returns the shortest text from the start state to each state, and the shortest text from each state to acceptance.
 */
function findShortestPaths(acceptor: GrammarAcceptor): {
  textsToState: Map<AutomatonState, string>;
  textsToAcceptance: Map<AutomatonState, string>;
} {
  const textsToState = new Map<AutomatonState, string>([[acceptor.startState, ""]]);
  const incoming = new Map<AutomatonState, [AutomatonState, string][]>();
  for (const [state, text] of textsToState) {
    for (const code of ASCII_CODES) {
      const next = acceptor.stateAfterCharacter(state, code);
      // The acceptor also rejects every continuation of a rejected text.
      if (next.positions.length === 0) continue;
      const character = String.fromCharCode(code);
      const steps = incoming.get(next);
      if (steps) steps.push([state, character]);
      else incoming.set(next, [[state, character]]);
      if (!textsToState.has(next)) textsToState.set(next, text + character);
    }
  }
  const accepting = [...textsToState.keys()].filter((state) => state.isAccepting);
  const textsToAcceptance = new Map<AutomatonState, string>(accepting.map((state) => [state, ""]));
  for (const [state, end] of textsToAcceptance) {
    for (const [previous, character] of incoming.get(state) ?? []) {
      if (!textsToAcceptance.has(previous)) textsToAcceptance.set(previous, character + end);
    }
  }
  return { textsToState, textsToAcceptance };
}
