import { MISLEADING_URL_PIECES } from "../misleading-url-pieces.ts";
import type { SeededRandom } from "./seeded-random.ts";

type SentenceMutation = (text: string, random: SeededRandom, other: string) => string;

/**
 * Functions that change a sentence of the grammar in one place. The parameter `other` is a second sentence of the
 * grammar.
 */
export const URL_TEXT_MUTATIONS: Readonly<Record<string, SentenceMutation>> = {
  delete: (text, random) => replaceRange(text, random.nextIntegerBelow(text.length), 1, ""),
  insert: (text, random) =>
    replaceRange(text, random.nextIntegerBelow(text.length + 1), 0, random.pickItem(MISLEADING_URL_PIECES)),
  duplicate(text, random) {
    const at = random.nextIntegerBelow(text.length);
    return replaceRange(text, at, 0, text.slice(at, at + 1 + random.nextIntegerBelow(4)));
  },
  replace: (text, random) =>
    replaceRange(text, random.nextIntegerBelow(text.length), 1, random.pickItem(MISLEADING_URL_PIECES)),
  swap(text, random) {
    const at = random.nextIntegerBelow(text.length - 1);
    return replaceRange(text, at, 2, text.charAt(at + 1) + text.charAt(at));
  },
  truncate: (text, random) => text.slice(0, random.nextIntegerBelow(text.length)),
  flip(text, random) {
    const letters = [...text.matchAll(/[A-Za-z]/g)];
    const at = letters[random.nextIntegerBelow(letters.length)]?.index ?? 0;
    const letter = text.charAt(at);
    const upper = letter.toUpperCase();
    return replaceRange(text, at, 1, letter === upper ? letter.toLowerCase() : upper);
  },
  splice(text, random, other) {
    const at = random.nextIntegerBelow(text.length);
    return text.slice(0, at) + other.slice(random.nextIntegerBelow(other.length));
  },
};

const MUTATION_NAMES = Object.keys(URL_TEXT_MUTATIONS) as [string, ...string[]];

/**
 * Changes a sentence of the grammar once, and sometimes several times. The grammar may also accept the mutated text.
 */
export function mutateUrlText(sentence: string, random: SeededRandom, other: string): string {
  let text = sentence;
  do {
    const change = URL_TEXT_MUTATIONS[random.pickItem(MUTATION_NAMES)];
    if (change && text.length > 1) text = change(text, random, other);
  } while (random.nextIntegerBelow(4) === 0);
  return text;
}

function replaceRange(text: string, at: number, length: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at + length);
}
