import type { Entry, Limits } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { listOf } from "./list.ts";
import { type NntpUrl, urlOn } from "../syntax.ts";
import { dateOf, identifiersIn, textOf, unbracketed } from "../article/header-values.ts";

/**
 * One line of an overview: an article of a group. RFC 3977 §8.3.2: "The first 8 fields MUST be the following, in order": number,
 * Subject, From, Date, Message-ID, References, bytes, lines. Fields are cut out when they are asked for.
 */
export class NntpEntry implements Entry {
  readonly #line: string;
  readonly #server: NntpUrl;
  readonly #group: string;
  #fields: readonly string[] | undefined;

  /** The line has one character a byte. */
  constructor(line: string, server: NntpUrl, group: string) {
    this.#line = line;
    this.#server = server;
    this.#group = group;
  }

  /** `"unknown"` for a line that is no overview of an article. */
  get kind(): "article" | "unknown" {
    return this.number === undefined ? "unknown" : "article";
  }

  /** The subject; the whole line of an unknown kind. */
  get name(): string {
    return this.number === undefined ? textOf(this.#line) : this.#field(1);
  }

  get number(): number | undefined {
    const digits = this.#cut()[0] ?? "";
    return this.#cut().length >= 5 && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
  }

  /** As the article has it; encoded words (RFC 2047) are left as they are. */
  get subject(): string {
    return this.#field(1);
  }

  get from(): string {
    return this.#field(2);
  }

  /** As the article writes it. */
  get date(): string {
    return this.#field(3);
  }

  /** The same as a time; `undefined` for what is none. */
  get modified(): Date | undefined {
    return dateOf(this.#field(3));
  }

  /** Without "<" and ">", as news URLs have it. */
  get messageId(): string {
    return unbracketed(this.#field(4));
  }

  /** The identifiers of the articles that it follows up, the oldest first, without "<" and ">". */
  get references(): readonly string[] {
    return identifiersIn(this.#field(5));
  }

  /** Bytes of the article, as far as the server knows. */
  get size(): number | undefined {
    return numberOf(this.#field(6));
  }

  /** Lines of the body, as far as the server knows. */
  get lines(): number | undefined {
    return numberOf(this.#field(7));
  }

  get url(): NntpUrl | undefined {
    return this.number === undefined ? undefined : urlOn(this.#server, this.#group, this.number);
  }

  toJSON(): Record<string, unknown> {
    const { kind, name, url, number, subject, from, date, messageId, references, size, lines, modified } =
      this;
    if (kind === "unknown") return { name, kind };
    return { name, kind, url, number, subject, from, date, modified, messageId, references, size, lines };
  }

  #cut(): readonly string[] {
    return (this.#fields ??= this.#line.split("\t", 8));
  }

  #field(index: number): string {
    return textOf(this.#cut()[index] ?? "");
  }
}

function numberOf(text: string): number | undefined {
  return /^ *\d{1,15} *$/.test(text) ? Number(text) : undefined;
}

/** Where a list of articles comes from. */
export interface OverviewPlace {
  readonly server: NntpUrl;
  readonly group: string;
}

/** The articles of an overview without its line of one dot, as its lines arrive. Throws `limit`. RFC 3977 §8.3.2. */
export function overviewOf(
  source: ByteSource,
  { server, group }: OverviewPlace,
  limits: Limits,
): AsyncGenerator<NntpEntry> {
  return listOf(source, limits, (line) => new NntpEntry(line, server, group));
}
