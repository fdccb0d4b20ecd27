import { MISLEADING_FRAGMENTS } from "./misleading-fragments.ts";
import type { SeededRandom } from "./seeded-random.ts";

type TextChange = (text: string, random: SeededRandom, other: string) => string;

/** Functions that change a sentence of the grammar in one place. The parameter `other` is a second sentence. */
export const TEXT_CHANGES: Readonly<Record<string, TextChange>> = {
  delete: (text, random) => replaceRange(text, random.nextBelow(text.length), 1, ""),
  insert: (text, random) =>
    replaceRange(text, random.nextBelow(text.length + 1), 0, random.pickItem(MISLEADING_FRAGMENTS)),
  duplicate(text, random) {
    const at = random.nextBelow(text.length);
    return replaceRange(text, at, 0, text.slice(at, at + 1 + random.nextBelow(4)));
  },
  replace: (text, random) =>
    replaceRange(text, random.nextBelow(text.length), 1, random.pickItem(MISLEADING_FRAGMENTS)),
  swap(text, random) {
    const at = random.nextBelow(text.length - 1);
    return replaceRange(text, at, 2, text.charAt(at + 1) + text.charAt(at));
  },
  truncate: (text, random) => text.slice(0, random.nextBelow(text.length)),
  flip(text, random) {
    const letters = [...text.matchAll(/[A-Za-z]/g)];
    const at = letters[random.nextBelow(letters.length)]?.index ?? 0;
    const letter = text.charAt(at);
    const upper = letter.toUpperCase();
    return replaceRange(text, at, 1, letter === upper ? letter.toLowerCase() : upper);
  },
  splice(text, random, other) {
    const at = random.nextBelow(text.length);
    return text.slice(0, at) + other.slice(random.nextBelow(other.length));
  },
};

const CHANGE_NAMES = Object.keys(TEXT_CHANGES) as [string, ...string[]];

/** Changes a sentence once, and sometimes several times. The grammar may accept the result too. */
export function createNearMiss(sentence: string, random: SeededRandom, other: string): string {
  let text = sentence;
  do {
    const change = TEXT_CHANGES[random.pickItem(CHANGE_NAMES)];
    if (change && text.length > 1) text = change(text, random, other);
  } while (random.nextBelow(4) === 0);
  return text;
}

function replaceRange(text: string, at: number, length: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at + length);
}
