import { parseDate, parseMessageIds } from "./header-values.ts";

/** A header field of an article (RFC 5322 §2.2). */
export interface ArticleHeaderField {
  /** As written in the article. */
  readonly name: string;
  /** Unfolded and decoded as UTF-8 or Latin-1. Encoded words (RFC 2047) are not decoded. */
  readonly value: string;
}

/** The header of an article (RFC 5536 §3). */
export class Article {
  /** The number in the requested group; `undefined` for an article requested by its identifier. */
  readonly number: number | undefined;
  /** The message identifier without "<" and ">", as in news URLs. */
  readonly messageId: string;
  #fields: readonly ArticleHeaderField[] | (() => readonly ArticleHeaderField[]);

  /** A function for `fields` is called once, when a field is first read. */
  constructor(
    number: number | undefined,
    messageId: string,
    fields: readonly ArticleHeaderField[] | (() => readonly ArticleHeaderField[]),
  ) {
    this.number = number;
    this.messageId = messageId;
    this.#fields = fields;
  }

  /** The header fields in their order. */
  get fields(): readonly ArticleHeaderField[] {
    return (this.#fields = typeof this.#fields === "function" ? this.#fields() : this.#fields);
  }

  toJSON(): Record<string, unknown> {
    const { number, messageId, fields } = this;
    return { number, messageId, fields };
  }

  /** Returns the value of the first field of this name, in any case. */
  field(name: string): string | undefined {
    const lowerCaseName = name.toLowerCase();
    return this.fields.find((field) => field.name.toLowerCase() === lowerCaseName)?.value;
  }

  get subject(): string | undefined {
    return this.field("Subject");
  }

  get from(): string | undefined {
    return this.field("From");
  }

  /** `undefined` without a valid Date field. */
  get date(): Date | undefined {
    return parseDate(this.field("Date") ?? "");
  }

  /** The groups that the article was posted to. */
  get newsgroups(): readonly string[] {
    return (this.field("Newsgroups") ?? "").split(",").flatMap((name) => name.trim() || []);
  }

  /** The message identifiers of the articles that this one follows up, the oldest first, without "<" and ">". */
  get references(): readonly string[] {
    return parseMessageIds(this.field("References") ?? "");
  }

  /** The groups and numbers of the article on its server, from the Xref field: `server *( group ":" number )` (RFC 5536 §3.2.14). */
  get locations(): readonly { readonly group: string; readonly number: string }[] {
    const matches = (this.field("Xref") ?? "").matchAll(/\s(\S+):(\d+)(?=\s|$)/g);
    return [...matches].map(([, group = "", number = ""]) => ({ group, number }));
  }
}
