import { type AccessErrorCode, AccessError, type Step } from "@anyscheme/core";
import { createMaskableServerText } from "@anyscheme/core/plugin";
import {
  type CommandReplyProtocolDefinition,
  createNumericReplyProtocol,
  formatReceivedNumericReply,
  type Reply,
} from "@anyscheme/core/io";

/** The rules by which a `CommandReplyConnection` reads the replies of NNTP (RFC 3977 §3.2). */
export const NNTP_REPLY_PROTOCOL: CommandReplyProtocolDefinition<Reply> =
  /* @__PURE__ */ createNumericReplyProtocol({
    name: "NNTP",
    lineLimitName: "maxNntpLineBytes",
    replyTimeoutLimit: "idleTimeoutMs",
    createReplyError: (reply, command) => createNntpReplyError(reply, command),
    // RFC 3977 §3.2.1: the server closes the connection after 400.
    isClosingReply: ({ code }) => code === "400",
  });

/** The article numbers in a reply to GROUP: `211 count low high group` (RFC 3977 §6.1.1). */
export interface GroupArticleRange {
  readonly low: number;
  readonly high: number;
}

/**
 * Parses an article number of at most 16 digits, which may begin with zeros (RFC 3977 §6, §9.8). Returns `undefined`
 * for a text that is not an article number, and for a number that is not a safe integer.
 */
export function parseArticleNumber(text = ""): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Parses the reply to GROUP. Throws `protocol` if the reply has no article numbers. */
export function parseGroupReply(reply: Reply): GroupArticleRange {
  const [, lowDigits, highDigits] = /^\d{1,16}[ \t]+(\d+)[ \t]+(\d+)(?:[ \t]|$)/.exec(reply.text) ?? [];
  const low = parseArticleNumber(lowDigits);
  const high = parseArticleNumber(highDigits);
  if (low !== undefined && high !== undefined) return { low, high };
  throw new AccessError("protocol", [
    "the server sent no article numbers for the group: ",
    createMaskableServerText(formatReceivedNumericReply(reply)),
  ]);
}

/** True when the reply to OVER means that the range has no articles (RFC 3977 §8.3). */
export function isEmptyArticleRangeReply({ code }: Reply): boolean {
  return code === "420" || code === "423";
}

const TOO_MANY_CONNECTIONS_TEXT = /too many|maximum|limit (?:reached|exceeded)|connections? limit/i;

/** The error for an NNTP reply that the plan does not expect. */
export class NntpReplyError extends AccessError {
  readonly reply: Reply;

  constructor(code: AccessErrorCode, reply: Reply, command: string, advice: string | undefined) {
    super(
      code,
      [`the server answered ${command} with: `, createMaskableServerText(formatReceivedNumericReply(reply))],
      {
        advice,
        // 400: "Service not available or no longer available" (RFC 3977 §3.2.1).
        isTemporary: reply.code === "400",
      },
    );
    this.reply = reply;
  }

  /**
   * True when the reply says that the NNTP server accepts no more connections. RFC 3977 §3.2.1 defines the codes 400
   * and 502 for an unavailable service.
   */
  get isTooManyConnections(): boolean {
    return /^(?:400|48[12]|502)$/.test(this.reply.code) && TOO_MANY_CONNECTIONS_TEXT.test(this.reply.text);
  }
}

/**
 * The errors for reply codes of RFC 3977, RFC 4642, RFC 4643 and RFC 4644, and for obsolete codes of RFC 977 and RFC
 * 2980. Every other reply code maps to the error of its first digit (RFC 3977 §3.2).
 */
export const NNTP_ERRORS_BY_REPLY_CODE: Readonly<Record<string, AccessErrorCode>> = {
  "205": "unavailable", // connection closing
  "401": "unsupported", // the server is in the wrong mode
  "411": "not-found", // no such newsgroup
  "412": "protocol", // no newsgroup selected
  "420": "not-found", // current article number is invalid
  "421": "not-found", // no next article
  "422": "not-found", // no previous article
  "423": "not-found", // no article with that number
  "430": "not-found", // no article with that message-id
  "435": "permission-denied", // article not wanted
  "437": "permission-denied", // transfer rejected
  "438": "permission-denied", // article not wanted (streaming)
  "439": "permission-denied", // transfer rejected (streaming)
  "440": "permission-denied", // posting not permitted
  "441": "permission-denied", // posting failed
  "450": "authentication-required", // authorization required (RFC 2980)
  "452": "permission-denied", // authorization rejected (RFC 2980)
  "480": "authentication-required", // authentication required
  "481": "permission-denied", // authentication failed
  "482": "permission-denied", // authentication rejected (RFC 2980), or out of sequence
  "483": "permission-denied", // encryption required
  "502": "permission-denied", // access denied, or service permanently unavailable
  "504": "protocol", // error in base64-encoding
  "580": "unavailable", // TLS negotiation cannot be started
};

const ERRORS_BY_FIRST_REPLY_DIGIT: Readonly<Record<string, AccessErrorCode>> = {
  "4": "unavailable",
  "5": "unsupported",
};

const TLS_ADVICE =
  'use an "nntps:" URL, a news server with scheme: "nntps", or the option startTls: "require"';

/**
 * Creates the error for an NNTP reply that the plan does not expect. The argument `command` is omitted for the
 * greeting. `isSecure` is true if the connection uses TLS.
 */
export function createNntpReplyError(
  reply: Reply,
  command?: Pick<Step, "description">,
  isSecure = false,
): NntpReplyError {
  const code =
    NNTP_ERRORS_BY_REPLY_CODE[reply.code] ??
    ERRORS_BY_FIRST_REPLY_DIGIT[reply.code.slice(0, 1)] ??
    "protocol";
  const advice = reply.code === "483" && !isSecure ? TLS_ADVICE : undefined;
  return new NntpReplyError(code, reply, command?.description ?? "the connection", advice);
}
