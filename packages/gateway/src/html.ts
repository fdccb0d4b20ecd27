import { escapeControls } from "@anyscheme/core/text";

/** Markup. Texts become part of it only escaped. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }

  toString(): string {
    return this.markup;
  }
}

type Part = Html | string | number | undefined | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** What is shown as it is needs no second look. Halves of surrogate pairs are looked at. */
const SPECIAL =
  /[&<>"'\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/;

/** Markup with texts in it; what is not markup is escaped, and nothing in it can move a cursor or turn the direction of writing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? "";
  for (let index = 0; index < parts.length; index++)
    markup += markupOf(parts[index]) + (strings[index + 1] ?? "");
  return new Html(markup);
}

/** The same for a text of many lines. */
const SPECIAL_IN_LINES = new RegExp(SPECIAL.source.replace("\\u001f", "\\u0008\\u000b-\\u001f"));

/** A text of many lines, as it stands in `<pre>`. */
export function preformatted(text: string): Html {
  const plain = text.replaceAll("\r\n", "\n");
  if (!SPECIAL_IN_LINES.test(plain)) return new Html(plain);
  const lines = plain.split("\n");
  return new Html(lines.map((line) => line.split("\t").map(escape).join("\t")).join("\n"));
}

function markupOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.markup;
  if (typeof part === "object") return part.map(({ markup }) => markup).join("");
  return escape(String(part));
}

function escape(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return escapeControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
