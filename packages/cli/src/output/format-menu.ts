import type { Entry } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";

/** Labels for kinds of entries that are longer than the column. */
const KIND_LABELS: Readonly<Record<string, string>> = {
  "phone-book": "phones",
  archive: "packed",
  uuencoded: "uuenc",
  document: "doc",
  unknown: "?",
};

const LABEL_WIDTH = 6;

/** Formats the entries of one Gopher menu. Links have a number and a kind; information lines have neither. */
export class MenuFormatter {
  #linkCount = 0;

  /** Formats an entry. Returns `undefined` for an entry of another listing. */
  format(entry: Entry): string | undefined {
    if (!("itemType" in entry)) return undefined;
    const { kind, name, url, fault } = entry;
    if (fault !== undefined && url === undefined) return formatRow("", "fault", `${name}: ${fault}`);
    const number = url === undefined ? "" : String(++this.#linkCount);
    const isForm = "plus" in entry && entry.plus === "?";
    const label = url === undefined && kind === "info" ? "" : isForm ? "form" : (KIND_LABELS[kind] ?? kind);
    return formatRow(number, label, name);
  }
}

function formatRow(number: string, label: string, text: string): string {
  return `${number.padStart(3)} ${label.padEnd(LABEL_WIDTH)} ${escapeControls(text)}`.trimEnd();
}
