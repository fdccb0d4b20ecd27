import { visible } from "@anyscheme/core/visible";

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

/** Markup with texts in it; what is not markup is escaped, and nothing in it can move a cursor or turn the direction of writing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? "";
  for (const [index, part] of parts.entries()) markup += markupOf(part) + (strings[index + 1] ?? "");
  return new Html(markup);
}

/** A text of many lines, as it stands in `<pre>`. */
export function preformatted(text: string): Html {
  return new Html(
    text
      .replaceAll("\r\n", "\n")
      .split(/([\n\t])/)
      .map((piece) => (/^[\n\t]$/.test(piece) ? piece : escape(piece)))
      .join(""),
  );
}

function markupOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.markup;
  if (typeof part === "object") return part.map(({ markup }) => markup).join("");
  return escape(String(part));
}

function escape(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
