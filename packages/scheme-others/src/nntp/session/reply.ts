import { type AccessCode, AccessError, type Step } from "@anyscheme/core";
import { latin1ToText, serverText } from "@anyscheme/core/plugin";
import { type CommandProtocol, LineScanner, type Reply } from "@anyscheme/core/io";
import { replaceControls } from "@anyscheme/core/text";
import { classifyReply } from "./reply-codes.ts";

const REPLY = /^([1-5]\d\d)(?: ([^]*))?$/;

/** Parses the first line of a reply (RFC 3977 §3.2). Throws `protocol` for any other line. */
export function parseReply(line: string): Reply {
  const [, code, text = ""] = REPLY.exec(line) ?? [];
  if (code === undefined)
    throw new AccessError("protocol", "the server does not speak NNTP: it sent a line that is no reply");
  return { code, text };
}

/** Formats a reply as a single line without control characters. */
export function formatReply({ code, text }: Reply): string {
  return replaceControls(latin1ToText(`${code} ${text}`).trimEnd());
}

/** The replies of NNTP, for core's `CommandConnection`. */
export const NNTP_PROTOCOL: CommandProtocol<Reply> = {
  replyTimeout: "idleTimeoutMs",
  createParser(limits) {
    const scanner = new LineScanner(limits, "maxNntpLineBytes");
    return {
      push(bytes) {
        const { line, used } = scanner.push(bytes);
        return { reply: line === undefined ? undefined : parseReply(line), used };
      },
      get partial() {
        return scanner.partial;
      },
    };
  },
  format: formatReply,
  replyError,
  // RFC 3977 §3.2.1: the server closes the connection after 400.
  isClosing: ({ code }) => code === "400",
};

/** The numbers in a reply to GROUP: `211 count low high group` (RFC 3977 §6.1.1). */
export interface GroupRange {
  /** The number of articles, as estimated by the server. */
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

/** Parses the reply to GROUP. Throws `protocol` if the reply has no numbers. */
export function parseGroupReply(reply: Reply): GroupRange {
  const [, count, low, high] =
    /^(\d{1,16})[ \t]+(\d{1,16})[ \t]+(\d{1,16})(?:[ \t]|$)/.exec(reply.text) ?? [];
  const range = { count: Number(count), low: Number(low), high: Number(high) };
  if (Object.values(range).every(Number.isSafeInteger)) return range;
  throw new AccessError("protocol", [
    "the server sent no article numbers for the group: ",
    serverText(formatReply(reply)),
  ]);
}

/** True when the reply to OVER means that the range has no articles (RFC 3977 §8.3). */
export function isEmptyRange({ code }: Reply): boolean {
  return code === "420" || code === "423";
}

/** Matches the texts with which servers reject a connection because of too many connections. */
const TOO_MANY = /too many|maximum|limit (?:reached|exceeded)|connections? limit/i;

/** The error for a reply that the plan does not expect. */
export class NntpReplyError extends AccessError {
  readonly reply: Reply;

  constructor(code: AccessCode, reply: Reply, command: string, advice: string | undefined) {
    super(code, [`the server answered ${command} with: `, serverText(formatReply(reply))], { advice });
    this.reply = reply;
  }

  /** True when the server accepts no more connections. RFC 3977 §3.2.1 defines the codes 400 and 502 for this case. */
  get isTooManyConnections(): boolean {
    return /^(?:400|48[12]|502)$/.test(this.reply.code) && TOO_MANY.test(this.reply.text);
  }
}

/** Creates the error for a reply that the plan does not expect. Omit `command` for the greeting. */
export function replyError(reply: Reply, command?: Pick<Step, "description">): NntpReplyError {
  const code = classifyReply(reply.code);
  const advice = reply.code === "483" ? 'use an "nntps:" URL, or the option startTls: "require"' : undefined;
  const description = command?.description ?? "the connection";
  return new NntpReplyError(code === "success" ? "protocol" : code, reply, description, advice);
}
