import { parseDate, parseMessageIds } from "./header-values.ts";

/** A header field of an article (RFC 5322 §2.2). */
export interface ArticleHeaderField {
  /** The name as written in the article. */
  readonly name: string;
  /** The value, unfolded and decoded as UTF-8 or Latin-1. Encoded words (RFC 2047) are not decoded. */
  readonly value: string;
}

/** The header of an article (RFC 5536 §3). */
export class Article {
  /** The number in the requested group, or `undefined` for an article requested by its identifier. */
  readonly number: number | undefined;
  /** The message identifier without "<" and ">", as in news URLs. */
  readonly messageId: string;
  #fields: readonly ArticleHeaderField[] | (() => readonly ArticleHeaderField[]);

  /** Creates an article. If `fields` is a function, the first access to a field calls this function. */
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

  /** Returns the value of the first field of this name. Case does not matter. */
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

  /** The date of the Date field, or `undefined` without a valid Date field. */
  get date(): Date | undefined {
    return parseDate(this.field("Date") ?? "");
  }

  /** The groups that the article was posted to. */
  get newsgroups(): readonly string[] {
    return (this.field("Newsgroups") ?? "").split(",").flatMap((name) => name.trim() || []);
  }

  /** The message identifiers in the References field, without "<" and ">". The oldest article is the first. */
  get references(): readonly string[] {
    return parseMessageIds(this.field("References") ?? "");
  }

  /**
   * The groups and numbers of the article on its server. From the Xref field `server *( group ":" number )` (RFC
   * 5536 §3.2.14).
   */
  get locations(): readonly { readonly group: string; readonly number: string }[] {
    const matches = (this.field("Xref") ?? "").matchAll(/\s(\S+):(\d+)(?=\s|$)/g);
    return [...matches].map(([, group = "", number = ""]) => ({ group, number }));
  }
}
