import type { Entry } from "@anyscheme/core";
import { escapeControls } from "../terminal/character-width.ts";

/** The kinds of entries in as many letters as the column has; those that are short enough stand for themselves. */
const KIND_LABELS: Readonly<Record<string, string>> = {
  "phone-book": "phones",
  archive: "packed",
  uuencoded: "uuenc",
  document: "doc",
  unknown: "?",
};

const LABEL_WIDTH = 6;

/**
 * Draws the entries of one Gopher menu: those that lead somewhere with a number and what they are, texts in the same column
 * without. What a menu says never moves the cursor.
 */
export class MenuFormatter {
  #count = 0;

  /** The line of an entry; `undefined` for one that is of no menu. */
  format(entry: Entry): string | undefined {
    if (!("itemType" in entry)) return undefined;
    const { kind, name, url, fault } = entry;
    if (fault !== undefined && url === undefined) return formatRow("", "fault", `${name}: ${fault}`);
    const number = url === undefined ? "" : String(++this.#count);
    const isForm = "plus" in entry && entry.plus === "?";
    const word = url === undefined && kind === "info" ? "" : isForm ? "form" : (KIND_LABELS[kind] ?? kind);
    return formatRow(number, word, name);
  }
}

function formatRow(number: string, word: string, text: string): string {
  return `${number.padStart(3)} ${word.padEnd(LABEL_WIDTH)} ${escapeControls(text)}`.trimEnd();
}
