import { escapeControls } from "@anyscheme/core/text";
import type { GatewayResponse } from "../http/response.ts";

/** HTML markup in which all texts are escaped. The template tag `html` creates an `Html` object. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }

  toString(): string {
    return this.markup;
  }
}

type HtmlValue = Html | string | number | undefined | readonly Html[];

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Matches characters to escape in HTML texts. Also matches surrogate pairs, which this regular expression cannot
 * distinguish from lone surrogates. Of the matched surrogates, `escapeControls` escapes only the lone ones.
 */
const HTML_SPECIAL_CHARACTER =
  /[&<>"'\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/;

/**
 * Creates HTML markup from a template literal. Escapes the inserted texts, and replaces control and bidirectional
 * characters by visible escapes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = strings[0] ?? "";
  for (let index = 0; index < values.length; index++)
    markup += toHtmlMarkup(values[index]) + (strings[index + 1] ?? "");
  return new Html(markup);
}

/** Matches the same characters as `HTML_SPECIAL_CHARACTER`, except tab and line feed. */
const PREFORMATTED_SPECIAL_CHARACTER = new RegExp(
  HTML_SPECIAL_CHARACTER.source.replace("\\u001f", "\\u0008\\u000b-\\u001f"),
);

/** Escapes a text of several lines for the element `<pre>`. */
export function escapePreformattedText(text: string): Html {
  const normalized = text.replaceAll("\r\n", "\n");
  if (!PREFORMATTED_SPECIAL_CHARACTER.test(normalized)) return new Html(normalized);
  const lines = normalized.split("\n");
  return new Html(lines.map((line) => line.split("\t").map(escapeHtml).join("\t")).join("\n"));
}

/** Returns at most `maxLength` characters of a text, in UTF-16 units. An ellipsis replaces the end of a longer text. */
export function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function toHtmlMarkup(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.markup;
  if (typeof value === "object") return value.map(({ markup }) => markup).join("");
  return escapeHtml(String(value));
}

function escapeHtml(text: string): string {
  if (!HTML_SPECIAL_CHARACTER.test(text)) return text;
  return escapeControls(text).replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character);
}

/**
 * The number of characters that are collected before a write, so that not every line of a menu is a write of its own.
 */
const HTML_BLOCK_LENGTH = 16_384;

/**
 * Collects the HTML markup of a page into blocks. The writer sends a block shorter than `HTML_BLOCK_LENGTH` at the end
 * of the event-loop turn.
 */
export class BufferedHtmlWriter {
  readonly #response: GatewayResponse;
  #pending = "";
  #flushTimer: NodeJS.Immediate | undefined;
  #written: Promise<void> | undefined;

  constructor(response: GatewayResponse) {
    this.#response = response;
  }

  /**
   * Writes markup to the gateway's response. Resolves when the connection accepts more data. Rejects when the client of
   * the gateway has closed the connection.
   */
  async write(markup: Html): Promise<void> {
    this.#pending += markup.markup;
    this.#flushTimer ??= setImmediate(() => this.#flush());
    if (this.#pending.length >= HTML_BLOCK_LENGTH) this.#flush();
    await this.#written;
  }

  end(): void {
    clearImmediate(this.#flushTimer);
    this.#response.end(this.#pending);
  }

  #flush(): void {
    clearImmediate(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#written = this.#response.write(this.#pending);
    this.#pending = "";
    // The error of a failed write to the response is not lost: the next call of `BufferedHtmlWriter.write` rejects with
    // it.
    this.#written.catch(() => undefined);
  }
}
