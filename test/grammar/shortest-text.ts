import { type Acceptor, ASCII, type State } from "./acceptor.ts";
import { PIECES } from "./pieces.ts";

const CODES: readonly number[] = Array.from({ length: ASCII }, (_, code) => code);

/** Returns a shortest text with this pair of verdicts by two acceptors, or undefined. */
export function shortestText(
  one: Acceptor,
  other: Acceptor,
  asked: (one: boolean, other: boolean) => boolean,
): string | undefined {
  const numbers = new Map<State, number>();
  const number = (state: State): number => {
    if (!numbers.has(state)) numbers.set(state, numbers.size);
    return numbers.get(state) ?? 0;
  };
  const seen = new Set<string>();
  const queue: [State, State, string][] = [[one.start, other.start, ""]];
  for (const [left, right, text] of queue) {
    const key = `${number(left)} ${number(right)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (asked(left.accepting, right.accepting)) return text;
    for (const code of CODES) {
      queue.push([one.after(left, code), other.after(right, code), text + String.fromCharCode(code)]);
    }
  }
  return undefined;
}

/**
 * Yields texts that cover every transition of an automaton. Each consists of the shortest path to a state, a US-ASCII
 * character or a misleading piece, and nothing or the shortest path to acceptance.
 */
export function* everyStep(acceptor: Acceptor): Generator<string> {
  const { ways, ends } = explored(acceptor);
  const pieces = new Set([...CODES.map((code) => String.fromCharCode(code)), ...PIECES]);
  for (const [state, way] of ways) {
    yield way;
    for (const piece of pieces) {
      const next = acceptor.behind(piece, state);
      yield way + piece;
      // A piece that is rejected is followed by the path from the state before it.
      const end = ends.get(next) ?? ends.get(state) ?? "";
      if (end !== "") yield way + piece + end;
    }
  }
}

/** Returns the shortest text from the start to each state, and from each state to acceptance. */
function explored(acceptor: Acceptor): { ways: Map<State, string>; ends: Map<State, string> } {
  const ways = new Map<State, string>([[acceptor.start, ""]]);
  const before = new Map<State, [State, string][]>();
  for (const [state, way] of ways) {
    for (const code of CODES) {
      const next = acceptor.after(state, code);
      // Continuations of a rejected text are rejected too.
      if (next.places.length === 0) continue;
      const character = String.fromCharCode(code);
      const steps = before.get(next);
      if (steps) steps.push([state, character]);
      else before.set(next, [[state, character]]);
      if (!ways.has(next)) ways.set(next, way + character);
    }
  }
  const accepting = [...ways.keys()].filter((state) => state.accepting);
  const ends = new Map<State, string>(accepting.map((state) => [state, ""]));
  for (const [state, end] of ends) {
    for (const [previous, character] of before.get(state) ?? []) {
      if (!ends.has(previous)) ends.set(previous, character + end);
    }
  }
  return { ways, ends };
}
