import { PIECES } from "./pieces.ts";
import type { Random } from "./random.ts";

type Change = (text: string, random: Random, other: string) => string;

/** Functions that make one small change to a sentence. `other` is another sentence. */
export const CHANGES: Readonly<Record<string, Change>> = {
  delete: (text, random) => replaced(text, random.below(text.length), 1, ""),
  insert: (text, random) => replaced(text, random.below(text.length + 1), 0, random.pick(PIECES)),
  duplicate(text, random) {
    const at = random.below(text.length);
    return replaced(text, at, 0, text.slice(at, at + 1 + random.below(4)));
  },
  replace: (text, random) => replaced(text, random.below(text.length), 1, random.pick(PIECES)),
  swap(text, random) {
    const at = random.below(text.length - 1);
    return replaced(text, at, 2, text.charAt(at + 1) + text.charAt(at));
  },
  truncate: (text, random) => text.slice(0, random.below(text.length)),
  flip(text, random) {
    const letters = [...text.matchAll(/[A-Za-z]/g)];
    const at = letters[random.below(letters.length)]?.index ?? 0;
    const letter = text.charAt(at);
    const upper = letter.toUpperCase();
    return replaced(text, at, 1, letter === upper ? letter.toLowerCase() : upper);
  },
  splice(text, random, other) {
    const at = random.below(text.length);
    return text.slice(0, at) + other.slice(random.below(other.length));
  },
};

const NAMES = Object.keys(CHANGES) as [string, ...string[]];

/** Returns a text that is one change, rarely several, away from a sentence. The text may again be a sentence. */
export function nearMiss(sentence: string, random: Random, other: string): string {
  let text = sentence;
  do {
    const change = CHANGES[random.pick(NAMES)];
    if (change && text.length > 1) text = change(text, random, other);
  } while (random.below(4) === 0);
  return text;
}

function replaced(text: string, at: number, length: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at + length);
}
