import { type AccessCode, AccessError } from "@anyscheme/core";
import { serverText, type TraceMessage } from "@anyscheme/core/plugin";
import { textOf } from "../article/header-values.ts";
import { meaningOf } from "./reply-codes.ts";

/** The first line of a reply. RFC 3977 §3.2. */
export interface Reply {
  readonly code: string;
  /** What follows the code, one character a byte. */
  readonly text: string;
}

const REPLY = /^([1-5]\d\d)(?: ([^]*))?$/;

/** The error for a line that answers no command: it would be taken for the answer to the next one. */
export function outOfTurn(line: string): AccessError {
  const words = serverText(shownLine(line));
  // Servers send 400 before they close a session.
  return line.startsWith("400 ")
    ? new AccessError("unavailable", ["the server closes the session: ", words])
    : new AccessError("protocol", ["the server sent a reply out of turn: ", words]);
}

/** A line as a reply. Throws `protocol` for a line that is none. */
export function replyOf(line: string): Reply {
  const [, code, text = ""] = REPLY.exec(line) ?? [];
  if (code === undefined)
    throw new AccessError("protocol", "the server does not speak NNTP: it sent a line that is no reply");
  return { code, text };
}

/** What the server said, on one line and without control characters. */
export function wordsOf({ code, text }: Reply): string {
  return shownLine(`${code} ${text}`);
}

/** A line as text, without control characters. */
export function shownLine(line: string): string {
  return textOf(line)
    .trimEnd()
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

/** A reply for the transcript. Its text is made for who reads it: most transcripts are nobody's. */
export class Received implements TraceMessage {
  readonly action = "receive";
  readonly #reply: Reply;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  get text(): string {
    return wordsOf(this.#reply);
  }
}

/** The numbers of a reply to GROUP. RFC 3977 §6.1.1: `211 number low high group`. */
export interface GroupNumbers {
  /** How many articles the server believes there are. */
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

/** Throws `protocol` when the reply has no numbers. */
export function groupNumbers(reply: Reply): GroupNumbers {
  const [, count, low, high] =
    /^(\d{1,16})[ \t]+(\d{1,16})[ \t]+(\d{1,16})(?:[ \t]|$)/.exec(reply.text) ?? [];
  const numbers = { count: Number(count), low: Number(low), high: Number(high) };
  if (Object.values(numbers).every(Number.isSafeInteger)) return numbers;
  throw new AccessError("protocol", [
    "the server gave no numbers for the group: ",
    serverText(wordsOf(reply)),
  ]);
}

/** Whether the answer to OVER says that there are no such articles. RFC 3977 §8.3. */
export function meansNone({ code }: Reply): boolean {
  return code === "420" || code === "423";
}

/** Words by which servers say that a refusal is about the number of connections. */
const TOO_MANY = /too many|maximum|limit (?:reached|exceeded)|connections? limit/i;

/** A reply that the plan cannot go on with. */
export class RefusedError extends AccessError {
  readonly reply: Reply;

  constructor(code: AccessCode, reply: Reply, said: string | undefined, advice?: string) {
    super(code, [`the server answered ${said ?? "the connection"} with: `, serverText(wordsOf(reply))], {
      advice,
    });
    this.reply = reply;
  }

  /** Whether the server has as many connections as it takes. RFC 3977 §3.2.1 has 400 and 502 for that. */
  get meansFull(): boolean {
    return /^(?:400|48[12]|502)$/.test(this.reply.code) && TOO_MANY.test(this.reply.text);
  }
}

/** The error for a reply that the plan cannot go on with; it has the server's words. */
export function refusal(reply: Reply, said: string | undefined): RefusedError {
  const meaning = meaningOf(reply.code);
  const advice = reply.code === "483" ? 'use an "nntps:" URL, or the option startTls: "require"' : undefined;
  return new RefusedError(meaning === "go on" ? "protocol" : meaning, reply, said, advice);
}
