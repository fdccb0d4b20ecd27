import type { CoreLimits } from "@anyscheme/core";
import {
  asBuffer,
  bytesToLatin1,
  type ByteSource,
  decodeBinaryStringToText,
  createLimitError,
} from "@anyscheme/core/plugin";
import { parseRfc5322Date, parseMessageIds } from "./header-values.ts";

/** A header field of an article (RFC 5322 §2.2). */
export interface ArticleHeaderField {
  /** The name of the field, as written in the article. */
  readonly name: string;
  /**
   * The value of the field, unfolded and decoded as UTF-8 or Latin-1. Encoded words are not decoded;
   * `decodeEncodedWords` of `@anyscheme/core/text` decodes them (RFC 2047).
   */
  readonly value: string;
}

/** The header of an article (RFC 5536 §3). */
export class ArticleHeader {
  /** The article number in the requested group, or `undefined` for an article requested by its identifier. */
  readonly number: number | undefined;
  /** The message identifier without "<" and ">", as in news URLs. */
  readonly messageId: string;
  #fields: readonly ArticleHeaderField[] | (() => readonly ArticleHeaderField[]);

  /** Creates the header of an article. If `fields` is a function, the first access to a header field calls it. */
  constructor(
    number: number | undefined,
    messageId: string,
    fields: readonly ArticleHeaderField[] | (() => readonly ArticleHeaderField[]),
  ) {
    this.number = number;
    this.messageId = messageId;
    this.#fields = fields;
  }

  /** The header fields, in the order in which the article contains them. */
  get fields(): readonly ArticleHeaderField[] {
    return (this.#fields = typeof this.#fields === "function" ? this.#fields() : this.#fields);
  }

  toJSON(): Record<string, unknown> {
    const { number, messageId, fields } = this;
    return { number, messageId, fields };
  }

  /**
   * Returns the value of the first header field with the given name. The names of header fields are compared without
   * regard to case.
   */
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
    return parseRfc5322Date(this.field("Date") ?? "");
  }

  /** The groups that the article was posted to. */
  get newsgroups(): readonly string[] {
    return (this.field("Newsgroups") ?? "").split(",").flatMap((name) => name.trim() || []);
  }

  /**
   * The message identifiers in the References field, without "<" and ">". The list of identifiers begins with the
   * oldest article.
   */
  get references(): readonly string[] {
    return parseMessageIds(this.field("References") ?? "");
  }

  /**
   * The groups and numbers of the article on its server. The Xref field contains the groups and numbers as
   * `server *( group ":" number )` (RFC 5536 §3.2.14).
   */
  get locations(): readonly { readonly group: string; readonly number: string }[] {
    const matches = (this.field("Xref") ?? "").matchAll(/\s(\S+):(\d+)(?=\s|$)/g);
    return [...matches].map(([, group = "", number = ""]) => ({ group, number }));
  }
}

/** Parses the fields of a header section (RFC 5322 §2.2). Skips lines that belong to no header field. */
export function parseArticleHeaderFields(header: Uint8Array): ArticleHeaderField[] {
  const text = bytesToLatin1(header);
  const unfolded = /\n[ \t]/.test(text) ? text.replace(/\r?\n(?=[ \t])/g, "") : text;
  const fields: ArticleHeaderField[] = [];
  for (const line of unfolded.split("\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    // field-name = 1*ftext: printable US-ASCII characters except ":"
    if (/^[!-9;-~]+$/.test(name))
      fields.push({ name, value: decodeBinaryStringToText(line.slice(colon + 1).trim()) });
  }
  return fields;
}

const DATE_HEADER_FIELD = /(?:^|\n)date[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/i;

/** Parses the first Date field of a header section (RFC 5322 §3.6.1). */
export function findArticleDate(header: Uint8Array): Date | undefined {
  return parseRfc5322Date(DATE_HEADER_FIELD.exec(bytesToLatin1(header))?.[1] ?? "");
}

/**
 * Reads the header section up to the empty line after it, or to the end of the article (RFC 5322 §2.1). Returns the
 * header section, and a source of the whole article. Throws `limit` for a header section that is too long.
 */
export async function peekArticleHeader(
  source: ByteSource,
  limits: CoreLimits,
): Promise<{ readonly header: Uint8Array; readonly headerAndBody: ByteSource }> {
  let bytes: Uint8Array = new Uint8Array(0);
  for (;;) {
    const state = await source.readChunks((chunk) => {
      bytes = bytes.length === 0 ? Buffer.from(chunk) : Buffer.concat([bytes, chunk]);
      return false;
    });
    const end = findHeaderEnd(bytes);
    const header = bytes.subarray(0, end ?? bytes.length);
    checkHeaderLimits(header, limits);
    if (end !== undefined || state === "end")
      return { header, headerAndBody: prependBytes(bytes, source, state) };
  }
}

/** Returns the position of the empty line after the header section. */
function findHeaderEnd(bytes: Uint8Array): number | undefined {
  if (bytes[0] === 0x0d && bytes[1] === 0x0a) return 0;
  const end = asBuffer(bytes).indexOf("\r\n\r\n");
  return end < 0 ? undefined : end + 2;
}

function checkHeaderLimits(header: Uint8Array, limits: CoreLimits): void {
  if (header.length > limits.maxHeaderBytes)
    throw createLimitError("maxHeaderBytes", limits, "the header of the article is too long");
  let lines = 0;
  for (let at = header.indexOf(0x0a); at >= 0; at = header.indexOf(0x0a, at + 1)) lines++;
  if (lines > limits.maxHeaderLines)
    throw createLimitError("maxHeaderLines", limits, "the header of the article has too many lines");
}

/** Returns a source that begins with `bytes` and continues with `source`. */
function prependBytes(bytes: Uint8Array, source: ByteSource, state: "more" | "end"): ByteSource {
  let prefix: Uint8Array | undefined = bytes.length > 0 ? bytes : undefined;
  return {
    async readChunks(onChunk) {
      if (prefix) {
        const wantsMore = onChunk(prefix);
        prefix = undefined;
        if (!wantsMore) return "more";
      }
      return state === "end" ? "end" : source.readChunks(onChunk);
    },
    cancel() {
      prefix = undefined;
      source.cancel();
    },
  };
}
