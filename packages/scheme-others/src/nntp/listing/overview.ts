import type { Entry, Limits } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { readList } from "./list.ts";
import { type NntpUrl, urlForServer } from "../syntax.ts";
import { parseDate, parseMessageIds, textOf, stripAngleBrackets } from "../article/header-values.ts";

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
    const digits = this.#splitFields()[0] ?? "";
    return this.#splitFields().length >= 5 && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
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
    return parseDate(this.#field(3));
  }

  /** Without "<" and ">", as news URLs have it. */
  get messageId(): string {
    return stripAngleBrackets(this.#field(4));
  }

  /** The identifiers of the articles that it follows up, the oldest first, without "<" and ">". */
  get references(): readonly string[] {
    return parseMessageIds(this.#field(5));
  }

  /** Bytes of the article, as far as the server knows. */
  get size(): number | undefined {
    return parseCount(this.#field(6));
  }

  /** Lines of the body, as far as the server knows. */
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
    return textOf(this.#splitFields()[index] ?? "");
  }
}

function parseCount(text: string): number | undefined {
  return /^ *\d{1,15} *$/.test(text) ? Number(text) : undefined;
}

/** Where a list of articles comes from. */
export interface OverviewSource {
  readonly server: NntpUrl;
  readonly group: string;
}

/** The articles of an overview without its line of one dot, as its lines arrive. Throws `limit`. RFC 3977 §8.3.2. */
export function readOverview(
  source: ByteSource,
  { server, group }: OverviewSource,
  limits: Limits,
): AsyncGenerator<NntpEntry> {
  return readList(source, limits, (line) => new NntpEntry(line, server, group));
}
