import { AccessError, type CoreLimits } from "@anyscheme/core";
import { LineScanner, type Reply, type ReplyParser } from "@anyscheme/core/io";
import { createLimitError, createMaskableServerText, createUtcDate } from "@anyscheme/core/plugin";
import { replaceControls } from "@anyscheme/core/text";

/** The maximum length of an invalid line in an error message, in characters. */
const MAX_QUOTED_REPLY_LENGTH = 80;
const REPLY_FIRST_LINE = /^[1-5]\d\d(?:[ -]|$)/;

/**
 * Matches a Telnet command in an FTP reply. RFC 854: 0xFF (IAC), and a command code or a second 0xFF. The codes of
 * WILL, WONT, DO and DONT precede the code of an option. Some servers send 0xFF in a file name without doubling it.
 */
const TELNET_COMMAND = /\xff(?:[\xfb-\xfe][^]?|[\xf0-\xfa\xff])/g;

/**
 * Parses replies of one or more lines from chunks of any size, and skips Telnet commands. RFC 959 §4.2: "The last line
 * will begin with the same code, followed immediately by Space".
 */
export class FtpReplyParser implements ReplyParser<Reply> {
  readonly #limits: CoreLimits;
  readonly #scanner: LineScanner;
  #multiline: { readonly code: string; readonly lines: string[] } | undefined;
  #multilineBytes = 0;

  constructor(limits: CoreLimits) {
    this.#limits = limits;
    this.#scanner = new LineScanner(limits, "maxReplyLineBytes");
  }

  /**
   * Throws `limit` for a line or reply that is too long. Throws `protocol` for a line that is no reply or contains
   * NUL.
   */
  push(bytes: Uint8Array): { reply: Reply | undefined; usedBytes: number } {
    let usedBytes = 0;
    let reply: Reply | undefined;
    while (!reply && usedBytes < bytes.length) {
      const rest = bytes.subarray(usedBytes);
      this.#rejectNul(rest);
      const scanned = this.#scanner.push(rest);
      usedBytes += scanned.usedBytes;
      if (scanned.line !== undefined) reply = this.#addLine(decodeTelnet(scanned.line));
    }
    return { reply, usedBytes };
  }

  get partialReply(): string {
    return [...(this.#multiline?.lines ?? []), decodeTelnet(this.#scanner.partialLine)].join("\n");
  }

  // Rejects a NUL before the length limit applies, so that the error does not depend on the chunks.
  #rejectNul(bytes: Uint8Array): void {
    const nul = bytes.indexOf(0);
    if (nul < 0 || this.#scanner.partialLine.length + nul > this.#limits.maxReplyLineBytes) return;
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
    if (!REPLY_FIRST_LINE.test(line)) {
      const text = formatFtpReplyOnOneLine({ code: "", text: line.slice(0, MAX_QUOTED_REPLY_LENGTH) });
      const message = [
        'the server does not speak FTP: it sent "',
        createMaskableServerText(text),
        '", which is no reply',
      ];
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
      throw createLimitError("maxReplyBytes", this.#limits, "a reply of the server is too long");
  }
}

/** Replaces a doubled 0xFF by one, and removes other Telnet commands. RFC 959 §2.3. */
function decodeTelnet(line: string): string {
  return line.replace(TELNET_COMMAND, (command) => (command === "\xff\xff" ? "\xff" : ""));
}

/** Formats a reply as UTF-8 on one line, without control characters. */
export function formatFtpReplyOnOneLine(reply: Reply): string {
  return formatFtpReplyLines(reply).replace(/\n/g, " / ");
}

const PRINTABLE_TEXT = /^[\n -~]*$/;

/** Formats a reply as UTF-8 with its line ends, without other control characters. */
export function formatFtpReplyLines({ text }: Reply): string {
  if (PRINTABLE_TEXT.test(text)) return text;
  return Buffer.from(text, "latin1").toString("utf8").split("\n").map(replaceControls).join("\n");
}

// Matches `257 "<directory>"` and a comment. A quotation mark in the name is doubled.            RFC 959 Appendix II
const PWD_REPLY = /^257[ -]"((?:[^"]|"")*)"/;

/**
 * Parses the absolute directory in a reply to PWD, with one character per byte. Returns undefined for a relative
 * directory, and for a directory with control characters.
 */
export function parsePwdReply(reply: Reply | undefined): string | undefined {
  const directory = PWD_REPLY.exec(reply?.text ?? "")?.[1]?.replaceAll('""', '"');
  if (directory === undefined || !directory.startsWith("/")) return undefined;
  return /[\u0000-\u001f\u007f]/.test(directory) ? undefined : directory;
}

// Matches `229 Entering Extended Passive Mode (|||6446|)`, with any delimiter.            RFC 2428 §3
const EPSV_REPLY = /\(([!-~])\1\1(\d{1,5})\1\)/;
// Matches `227 Entering Passive Mode (h1,h2,h3,h4,p1,p2)`. Some servers omit the parentheses, or add a blank after each
// comma. RFC 959 §4.1.2, RFC 1123 §4.1.2.6
const PASV_REPLY = /(?<!\d)(?:\d{1,3}, ?){4}(\d{1,3}), ?(\d{1,3})(?!\d)/;

const MAX_PORT = 65_535;

/**
 * Parses the port in a reply to EPSV or PASV. The address in a PASV reply is never used. Throws `protocol` for a
 * reply without a port.
 */
export function parsePassivePort(reply: Reply): number {
  const extended = Number(EPSV_REPLY.exec(reply.text)?.[2]);
  if (reply.code === "229" && extended > 0 && extended <= MAX_PORT) return extended;
  const passive = PASV_REPLY.exec(reply.text);
  const [high, low] = [Number(passive?.[1]), Number(passive?.[2])];
  if (reply.code === "227" && high < 256 && low < 256 && high + low > 0) return high * 256 + low;
  throw new AccessError("protocol", [
    "the server named no port for the data connection: ",
    createMaskableServerText(formatFtpReplyOnOneLine(reply)),
  ]);
}

/** Parses the reply to SIZE: `213 5`. RFC 3659 §4.1. */
export function parseSizeReply(reply: Reply | undefined): number | undefined {
  return reply?.code === "213" ? parseDecimalByteCount(reply.text.slice(4).trim()) : undefined;
}

/** Parses the reply to MDTM: `213 19991005213102`. RFC 3659 §3.1. */
export function parseMdtmReply(reply: Reply | undefined): Date | undefined {
  return reply?.code === "213" ? parseFtpTimestamp(reply.text.slice(4).trim()) : undefined;
}

export function parseDecimalByteCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : undefined;
}

// time-val = 14DIGIT [ "." 1*DIGIT ], in UTC.            RFC 3659 §2.3
const TIME_VAL_PATTERN = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?(?!\d)/;

export function parseFtpTimestamp(text: string | undefined): Date | undefined {
  const match = TIME_VAL_PATTERN.exec(text ?? "");
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute, second] = match.slice(1, 7).map(Number);
  const milliseconds = Math.floor(Number(match[7] ?? 0) * 1000);
  return createUtcDate(year, month, day, hour, minute, second, milliseconds);
}

/** True for a reply after which the server closes the control connection. RFC 959 §4.2.1. */
export function isClosingReply({ code }: Reply): boolean {
  return code === "421";
}

/**
 * True for a positive reply that reports a failure. vsftpd sends such a reply for a directory without read
 * permission.
 */
export function isPositiveReplyReportingFailure({ code, text }: Reply): boolean {
  return code === "226" && text.includes("failed to open directory");
}
