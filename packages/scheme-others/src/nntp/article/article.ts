import type { Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";
import { parseDate, parseMessageIds, bytesToLatin1, textOf } from "./header-values.ts";

/** A field of an article's header. RFC 5322 §2.2. */
export interface ArticleHeaderField {
  /** As the article writes it. */
  readonly name: string;
  /** Unfolded, as UTF-8 or Latin-1; encoded words (RFC 2047) are left as they are. */
  readonly value: string;
}

/** What an article says of itself. RFC 5536 §3. */
export class Article {
  /** Its number in the group it was asked for in; `undefined` when it was asked for by its identifier. */
  readonly number: number | undefined;
  /** The identifier without "<" and ">", as news URLs have it. */
  readonly messageId: string;
  #fields: readonly ArticleHeaderField[] | (() => readonly ArticleHeaderField[]);

  /** The fields may be taken out of the header when they are asked for first. */
  constructor(
    number: number | undefined,
    messageId: string,
    fields: readonly ArticleHeaderField[] | (() => readonly ArticleHeaderField[]),
  ) {
    this.number = number;
    this.messageId = messageId;
    this.#fields = fields;
  }

  /** In their order. */
  get fields(): readonly ArticleHeaderField[] {
    return (this.#fields = typeof this.#fields === "function" ? this.#fields() : this.#fields);
  }

  toJSON(): Record<string, unknown> {
    const { number, messageId, fields } = this;
    return { number, messageId, fields };
  }

  /** The value of the first field of this name, in any case; `undefined` without one. */
  field(name: string): string | undefined {
    const wanted = name.toLowerCase();
    return this.fields.find((field) => field.name.toLowerCase() === wanted)?.value;
  }

  get subject(): string | undefined {
    return this.field("Subject");
  }

  get from(): string | undefined {
    return this.field("From");
  }

  /** `undefined` without a Date field that can be read. */
  get date(): Date | undefined {
    return parseDate(this.field("Date") ?? "");
  }

  /** The groups it was posted to. */
  get newsgroups(): readonly string[] {
    return (this.field("Newsgroups") ?? "").split(",").flatMap((name) => name.trim() || []);
  }

  /** The identifiers of the articles that it follows up, the oldest first, without "<" and ">". */
  get references(): readonly string[] {
    return parseMessageIds(this.field("References") ?? "");
  }

  /** Where the server says that it has the article. RFC 5536 §3.2.14: `server *( group ":" number )`. */
  get locations(): readonly { readonly group: string; readonly number: string }[] {
    const found = (this.field("Xref") ?? "").matchAll(/\s(\S+):(\d+)(?=\s|$)/g);
    return [...found].map(([, group = "", number = ""]) => ({ group, number }));
  }
}

/** The fields of a header section. Lines that are part of no field are left out. RFC 5322 §2.2. */
export function parseHeaderFields(head: Uint8Array): ArticleHeaderField[] {
  const text = bytesToLatin1(head);
  const unfolded = /\n[ \t]/.test(text) ? text.replace(/\r?\n(?=[ \t])/g, "") : text;
  const fields: ArticleHeaderField[] = [];
  for (const line of unfolded.split("\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    // field-name = 1*ftext: printable US-ASCII but ":"
    if (/^[!-9;-~]+$/.test(name)) fields.push({ name, value: textOf(line.slice(colon + 1).trim()) });
  }
  return fields;
}

const DATE = /(?:^|\n)date[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/i;

/** The time in the first Date field of a header section, whose other fields are left alone. RFC 5322 §3.6.1. */
export function parseHeaderDate(head: Uint8Array): Date | undefined {
  return parseDate(DATE.exec(bytesToLatin1(head))?.[1] ?? "");
}

/** An article whose header section has been read ahead; the body still begins with it. */
export interface ArticleSource {
  readonly header: Uint8Array;
  readonly body: ByteSource;
}

/** Reads up to the empty line behind the header section, or to the end. Throws `limit` for one that is too long. RFC 5322 §2.1. */
export async function readHeader(source: ByteSource, limits: Limits): Promise<ArticleSource> {
  let bytes: Uint8Array = new Uint8Array(0);
  for (;;) {
    const state = await source.read((piece) => {
      bytes = bytes.length === 0 ? Buffer.from(piece) : Buffer.concat([bytes, piece]);
      return false;
    });
    const end = headerEnd(bytes);
    const head = bytes.subarray(0, end ?? bytes.length);
    checkHeader(head, limits);
    if (end !== undefined || state === "end")
      return { header: head, body: prependBytes(bytes, source, state) };
  }
}

/** Where the empty line begins. */
function headerEnd(bytes: Uint8Array): number | undefined {
  if (bytes[0] === 0x0d && bytes[1] === 0x0a) return 0;
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf("\r\n\r\n");
  return found < 0 ? undefined : found + 2;
}

function checkHeader(head: Uint8Array, limits: Limits): void {
  if (head.length > limits.maxHeaderBytes)
    throw limitError("maxHeaderBytes", limits, "the header of the article is too long");
  let lines = 0;
  for (let at = head.indexOf(0x0a); at >= 0; at = head.indexOf(0x0a, at + 1)) lines++;
  if (lines > limits.maxHeaderLines)
    throw limitError("maxHeaderLines", limits, "the header of the article has too many lines");
}

/** The bytes that were read ahead, and then the source. */
function prependBytes(bytes: Uint8Array, source: ByteSource, state: "more" | "end"): ByteSource {
  let ahead: Uint8Array | undefined = bytes.length > 0 ? bytes : undefined;
  return {
    async read(take) {
      if (ahead) {
        const more = take(ahead);
        ahead = undefined;
        if (!more) return "more";
      }
      return state === "end" ? "end" : source.read(take);
    },
    cancel() {
      ahead = undefined;
      source.cancel();
    },
  };
}
