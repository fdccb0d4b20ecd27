import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, serverText } from "@anyscheme/core/plugin";

/** A whole reply, of one line or many. RFC 959 §4.2. */
export interface Reply {
  readonly code: string;
  /** The lines without their ends, one character a byte, separated by LF. */
  readonly text: string;
}

const CR = 0x0d;
/** Characters of a line that is no reply, of which a message shows no more. */
const MAX_SHOWN = 80;
const FIRST_LINE = /^[1-5]\d\d(?:[ -]|$)/;

/**
 * Cuts what a server says into replies, whatever the pieces it arrives in. "The format for multi-line replies is that the
 * first line will begin with the exact required reply code, followed immediately by a Hyphen [...]. The last line will begin
 * with the same code, followed immediately by Space" (RFC 959 §4.2).
 */
export class ReplyParser {
  readonly #limits: Limits;
  #rest = "";
  #open: { readonly code: string; readonly lines: string[] } | undefined;
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * The replies that these bytes complete, one character a byte. Throws `limit` for a line or a reply that is too long,
   * and `protocol` for a line that is no reply or has a NUL.
   */
  *push(chunk: string): Generator<Reply> {
    const text = this.#rest + chunk;
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      const reply = this.#add(lineIn(text, from, end));
      from = end + 1;
      if (reply) yield reply;
    }
    this.#rest = from < text.length ? text.slice(from) : "";
    this.#checkLine(lineIn(this.#rest, 0, this.#rest.length));
  }

  /** Whether it holds part of a reply. */
  get hasPartialReply(): boolean {
    return this.#rest !== "" || this.#open !== undefined;
  }

  #add(line: string): Reply | undefined {
    this.#checkLine(line);
    if (!this.#open) return this.#begin(line);
    const { code, lines } = this.#open;
    lines.push(line);
    this.#count(line);
    if (line !== code && !line.startsWith(`${code} `)) return undefined;
    this.#open = undefined;
    return { code, text: lines.join("\n") };
  }

  #begin(line: string): Reply | undefined {
    if (!FIRST_LINE.test(line)) {
      const words = formatReply({ code: "", text: line.slice(0, MAX_SHOWN) });
      const wording = ['the server does not speak FTP: it sent "', serverText(words), '", which is no reply'];
      throw new AccessError("protocol", wording);
    }
    const code = line.slice(0, 3);
    if (line[3] !== "-") return { code, text: line };
    this.#open = { code, lines: [line] };
    this.#bytes = 0;
    this.#count(line);
    return undefined;
  }

  #checkLine(line: string): void {
    const { maxReplyLineBytes } = this.#limits;
    // What comes first decides, whatever the pieces that the line arrives in.
    if (line.slice(0, maxReplyLineBytes + 1).includes("\0"))
      throw new AccessError("protocol", "the server sent a NUL in a reply");
    if (line.length <= maxReplyLineBytes) return;
    throw limitError("maxReplyLineBytes", this.#limits, "a line of a reply is too long");
  }

  #count(line: string): void {
    this.#bytes += line.length + 2;
    if (this.#bytes > this.#limits.maxReplyBytes)
      throw limitError("maxReplyBytes", this.#limits, "a reply is too long");
  }
}

/** Part of a text without the CR that may end it. */
function lineIn(text: string, from: number, end: number): string {
  return text.slice(from, end > from && text.charCodeAt(end - 1) === CR ? end - 1 : end);
}

/** What the server said, as UTF-8, on one line and without control characters. */
export function formatReply(reply: Reply): string {
  return replyLines(reply).replace(/\n/g, " / ");
}

const PLAIN = /^[\n -~]*$/;

/** What the server said, as UTF-8 and line by line, without other control characters. */
export function replyLines({ text }: Reply): string {
  if (PLAIN.test(text)) return text;
  return Buffer.from(text, "latin1")
    .toString("utf8")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "\ufffd");
}

// 257 "<directory>" and words; a quotation mark in the name is doubled.            RFC 959 Appendix II
const DIRECTORY = /^257[ -]"((?:[^"]|"")*)"/;

/** The absolute directory in a reply to PWD, one character a byte; `undefined` where it cannot be sent back as it is. */
export function parsePwdReply(reply: Reply): string | undefined {
  const directory = DIRECTORY.exec(reply.text)?.[1]?.replaceAll('""', '"');
  if (directory === undefined || !directory.startsWith("/")) return undefined;
  return /[\u0000-\u001f\u007f]/.test(directory) ? undefined : directory;
}

// 229 Entering Extended Passive Mode (|||6446|), with any delimiter.            RFC 2428 §3
const EXTENDED_PASSIVE = /\(([!-~])\1\1(\d{1,5})\1\)/;
// 227 Entering Passive Mode (h1,h2,h3,h4,p1,p2); servers leave the parentheses out.            RFC 959 §4.1.2, RFC 1123 §4.1.2.6
const PASSIVE = /(?<!\d)(?:\d{1,3},){4}(\d{1,3}),(\d{1,3})(?!\d)/;

/** The port in a reply to EPSV or PASV. The address in the latter is never used. Throws `protocol` when there is none. */
export function parsePassiveReply(reply: Reply): number {
  const extended = EXTENDED_PASSIVE.exec(reply.text);
  if (reply.code === "229" && extended) return Number(extended[2]);
  const passive = PASSIVE.exec(reply.text);
  const [high, low] = [Number(passive?.[1]), Number(passive?.[2])];
  if (reply.code === "227" && high < 256 && low < 256) return high * 256 + low;
  throw new AccessError("protocol", [
    "the server named no port for the data connection: ",
    serverText(formatReply(reply)),
  ]);
}
