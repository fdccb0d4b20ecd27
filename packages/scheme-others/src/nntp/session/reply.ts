import { type AccessCode, AccessError } from "@anyscheme/core";
import { serverText, type TraceMessage } from "@anyscheme/core/plugin";
import { textOf } from "../article/header-values.ts";
import { classifyReply } from "./reply-codes.ts";

/** The first line of a reply. RFC 3977 §3.2. */
export interface Reply {
  readonly code: string;
  /** What follows the code, one character a byte. */
  readonly text: string;
}

const REPLY = /^([1-5]\d\d)(?: ([^]*))?$/;

/** The error for a line that answers no command: it would be taken for the answer to the next one. */
export function unsolicitedReplyError(line: string): AccessError {
  const words = serverText(escapeLine(line));
  // Servers send 400 before they close a session.
  return line.startsWith("400 ")
    ? new AccessError("unavailable", ["the server closes the session: ", words])
    : new AccessError("protocol", ["the server sent a reply out of turn: ", words]);
}

/** A line as a reply. Throws `protocol` for a line that is none. */
export function parseReply(line: string): Reply {
  const [, code, text = ""] = REPLY.exec(line) ?? [];
  if (code === undefined)
    throw new AccessError("protocol", "the server does not speak NNTP: it sent a line that is no reply");
  return { code, text };
}

/** What the server said, on one line and without control characters. */
export function formatReply({ code, text }: Reply): string {
  return escapeLine(`${code} ${text}`);
}

/** A line as text, without control characters. */
export function escapeLine(line: string): string {
  return textOf(line)
    .trimEnd()
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

/** A reply for the transcript. Its text is made for who reads it: most transcripts are nobody's. */
export class ReplyTrace implements TraceMessage {
  readonly action = "receive";
  readonly #reply: Reply;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  get text(): string {
    return formatReply(this.#reply);
  }
}

/** The numbers of a reply to GROUP. RFC 3977 §6.1.1: `211 number low high group`. */
export interface GroupRange {
  /** How many articles the server believes there are. */
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

/** Throws `protocol` when the reply has no numbers. */
export function parseGroupReply(reply: Reply): GroupRange {
  const [, count, low, high] =
    /^(\d{1,16})[ \t]+(\d{1,16})[ \t]+(\d{1,16})(?:[ \t]|$)/.exec(reply.text) ?? [];
  const numbers = { count: Number(count), low: Number(low), high: Number(high) };
  if (Object.values(numbers).every(Number.isSafeInteger)) return numbers;
  throw new AccessError("protocol", [
    "the server gave no numbers for the group: ",
    serverText(formatReply(reply)),
  ]);
}

/** Whether the answer to OVER says that there are no such articles. RFC 3977 §8.3. */
export function isEmptyRange({ code }: Reply): boolean {
  return code === "420" || code === "423";
}

/** Words by which servers say that a refusal is about the number of connections. */
const TOO_MANY = /too many|maximum|limit (?:reached|exceeded)|connections? limit/i;

/** A reply that the plan cannot go on with. */
export class NntpReplyError extends AccessError {
  readonly reply: Reply;

  constructor(code: AccessCode, reply: Reply, command: string | undefined, advice?: string) {
    super(
      code,
      [`the server answered ${command ?? "the connection"} with: `, serverText(formatReply(reply))],
      {
        advice,
      },
    );
    this.reply = reply;
  }

  /** Whether the server has as many connections as it takes. RFC 3977 §3.2.1 has 400 and 502 for that. */
  get isTooManyConnections(): boolean {
    return /^(?:400|48[12]|502)$/.test(this.reply.code) && TOO_MANY.test(this.reply.text);
  }
}

/** The error for a reply that the plan cannot go on with; it has the server's words. */
export function replyError(reply: Reply, command: string | undefined): NntpReplyError {
  const meaning = classifyReply(reply.code);
  const advice = reply.code === "483" ? 'use an "nntps:" URL, or the option startTls: "require"' : undefined;
  return new NntpReplyError(meaning === "go on" ? "protocol" : meaning, reply, command, advice);
}
