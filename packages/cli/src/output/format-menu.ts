import type { Entry } from "@anyscheme/core";
import { escapeControls } from "../terminal/character-width.ts";

/** The kinds of entries in as many letters as the column has; those that are short enough stand for themselves. */
const WORDS: Readonly<Record<string, string>> = {
  "phone-book": "phones",
  archive: "packed",
  uuencoded: "uuenc",
  document: "doc",
  unknown: "?",
};

const WORD_LENGTH = 6;

/**
 * Draws the entries of one Gopher menu: those that lead somewhere with a number and what they are, texts in the same column
 * without. What a menu says never moves the cursor.
 */
export class MenuLines {
  #count = 0;

  /** The line of an entry; `undefined` for one that is of no menu. */
  line(entry: Entry): string | undefined {
    if (!("itemType" in entry)) return undefined;
    const { kind, name, url, fault } = entry;
    if (fault !== undefined && url === undefined) return drawn("", "fault", `${name}: ${fault}`);
    const number = url === undefined ? "" : String(++this.#count);
    const isForm = "plus" in entry && entry.plus === "?";
    const word = url === undefined && kind === "info" ? "" : isForm ? "form" : (WORDS[kind] ?? kind);
    return drawn(number, word, name);
  }
}

function drawn(number: string, word: string, text: string): string {
  return `${number.padStart(3)} ${word.padEnd(WORD_LENGTH)} ${escapeControls(text)}`.trimEnd();
}
