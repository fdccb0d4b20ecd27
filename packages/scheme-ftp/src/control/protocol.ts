import { AccessError, type Limits } from "@anyscheme/core";
import { type CommandProtocol, LineScanner, type Reply, type ReplyParser } from "@anyscheme/core/io";
import { limitError, serverText } from "@anyscheme/core/plugin";
import { replyError } from "./reply-errors.ts";
import { formatReply, formatReplyLines } from "./reply.ts";

/** The maximum length of an invalid line in an error message, in characters. */
const MAX_SHOWN = 80;
const FIRST_LINE = /^[1-5]\d\d(?:[ -]|$)/;

/**
 * Parses replies of one or more lines from chunks of any size. RFC 959 §4.2: "The last line will begin with the
 * same code, followed immediately by Space".
 */
export class FtpReplyParser implements ReplyParser<Reply> {
  readonly #limits: Limits;
  readonly #scanner: LineScanner;
  #multiline: { readonly code: string; readonly lines: string[] } | undefined;
  #multilineBytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#scanner = new LineScanner(limits, "maxReplyLineBytes");
  }

  /**
   * Throws `limit` for a line or reply that is too long. Throws `protocol` for a line that is no reply or contains
   * NUL.
   */
  push(bytes: Uint8Array): { reply: Reply | undefined; used: number } {
    let used = 0;
    let reply: Reply | undefined;
    while (!reply && used < bytes.length) {
      const rest = bytes.subarray(used);
      this.#rejectNul(rest);
      const scanned = this.#scanner.push(rest);
      used += scanned.used;
      if (scanned.line !== undefined) reply = this.#addLine(scanned.line);
    }
    return { reply, used };
  }

  get partial(): string {
    return [...(this.#multiline?.lines ?? []), this.#scanner.partial].join("\n");
  }

  // Rejects a NUL before the length limit applies. The error then does not depend on the chunks.
  #rejectNul(bytes: Uint8Array): void {
    const nul = bytes.indexOf(0);
    if (nul < 0 || this.#scanner.partial.length + nul > this.#limits.maxReplyLineBytes) return;
    if (bytes.subarray(0, nul).includes(0x0a)) return;
    throw new AccessError("protocol", "the server sent a NUL in a reply");
  }

  #addLine(line: string): Reply | undefined {
    if (!this.#multiline) return this.#addFirstLine(line);
    const { code, lines } = this.#multiline;
    lines.push(line);
    this.#countBytes(line);
    if (line !== code && !line.startsWith(`${code} `)) return undefined;
    this.#multiline = undefined;
    return { code, text: lines.join("\n") };
  }

  #addFirstLine(line: string): Reply | undefined {
    if (!FIRST_LINE.test(line)) {
      const text = formatReply({ code: "", text: line.slice(0, MAX_SHOWN) });
      const message = ['the server does not speak FTP: it sent "', serverText(text), '", which is no reply'];
      throw new AccessError("protocol", message);
    }
    const code = line.slice(0, 3);
    if (line[3] !== "-") return { code, text: line };
    this.#multiline = { code, lines: [line] };
    this.#multilineBytes = 0;
    this.#countBytes(line);
    return undefined;
  }

  #countBytes(line: string): void {
    this.#multilineBytes += line.length + 2;
    if (this.#multilineBytes > this.#limits.maxReplyBytes)
      throw limitError("maxReplyBytes", this.#limits, "a reply is too long");
  }
}

/** The rules of FTP's control connection. RFC 959 §4.2, §5.4. */
export const FTP_PROTOCOL: CommandProtocol<Reply> = {
  createParser: (limits) => new FtpReplyParser(limits),
  format: formatReplyLines,
  replyError: (reply, step) => replyError(reply, { step, isAnonymous: false }),
  isPreliminary: ({ code }) => code.startsWith("1"),
  isClosing: ({ code }) => code === "421",
  connectionName: "control connection",
};
