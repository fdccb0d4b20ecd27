import type { Entry } from "@anyscheme/core";
import { latin1ToText } from "@anyscheme/core/plugin";
import { parseDate, parseMessageIds, stripAngleBrackets } from "../article/header-values.ts";
import { type NntpUrl, urlForServer } from "../syntax.ts";

/**
 * An article in the overview of a group. RFC 3977 §8.3.2 defines the first 8 fields: number, Subject, From, Date,
 * Message-ID, References, bytes, lines. The first access to a field splits the line.
 */
export class NntpEntry implements Entry {
  readonly #line: string;
  readonly #server: NntpUrl;
  readonly #group: string;
  #fields: readonly string[] | undefined;

  /** Creates an entry from a line with one character per byte. */
  constructor(line: string, server: NntpUrl, group: string) {
    this.#line = line;
    this.#server = server;
    this.#group = group;
  }

  /** `"unknown"` for a line that does not have the fields of an article. */
  get kind(): "article" | "unknown" {
    return this.number === undefined ? "unknown" : "article";
  }

  /** The subject, or the whole line if the kind is `"unknown"`. */
  get name(): string {
    return this.number === undefined ? latin1ToText(this.#line) : this.#field(1);
  }

  get number(): number | undefined {
    const fields = this.#splitFields();
    const [digits = ""] = fields;
    return fields.length >= 5 && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
  }

  /** The subject as in the article. Encoded words (RFC 2047) are not decoded. */
  get subject(): string {
    return this.#field(1);
  }

  get from(): string {
    return this.#field(2);
  }

  /** The date as in the article. */
  get date(): string {
    return this.#field(3);
  }

  /** The parsed `date`, or `undefined` if it is invalid. */
  get modified(): Date | undefined {
    return parseDate(this.#field(3));
  }

  /** The message identifier without "<" and ">", as in news URLs. */
  get messageId(): string {
    return stripAngleBrackets(this.#field(4));
  }

  /** The message identifiers in the References field, without "<" and ">". The oldest article is the first. */
  get references(): readonly string[] {
    return parseMessageIds(this.#field(5));
  }

  /** The size of the article in bytes, if the server sends it. */
  get size(): number | undefined {
    return parseCount(this.#field(6));
  }

  /** The number of lines of the body, if the server sends it. */
  get lines(): number | undefined {
    return parseCount(this.#field(7));
  }

  get url(): NntpUrl | undefined {
    return this.number === undefined ? undefined : urlForServer(this.#server, this.#group, this.number);
  }

  toJSON(): Record<string, unknown> {
    const { kind, name, url, number, subject, from, date, messageId, references, size, lines, modified } =
      this;
    if (kind === "unknown") return { name, kind };
    return { name, kind, url, number, subject, from, date, modified, messageId, references, size, lines };
  }

  #splitFields(): readonly string[] {
    return (this.#fields ??= this.#line.split("\t", 8));
  }

  #field(index: number): string {
    return latin1ToText(this.#splitFields()[index] ?? "");
  }
}

function parseCount(text: string): number | undefined {
  return /^ *\d{1,15} *$/.test(text) ? Number(text) : undefined;
}
