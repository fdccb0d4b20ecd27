import { AccessError, type Step } from "@anyscheme/core";
import {
  type ArgumentInErrors,
  createExpectReplyStep,
  rejectControlBytes,
  createSendStep,
} from "@anyscheme/core/plugin";
import { PASSWORD_MASK } from "@anyscheme/core/syntax";

const utf8Encoder = new TextEncoder();

/**
 * Encodes an NNTP command with its line end (RFC 3977 §3.1). Every NNTP command is encoded by this function. Throws
 * `refused-characters` for control bytes in the argument. No option allows control bytes in the arguments of an NNTP
 * command, because TAB and blank separate arguments.
 */
export function encodeNntpCommand(
  verb: string,
  argument?: string,
  argumentInErrors: string | ArgumentInErrors = "argument",
): Uint8Array {
  if (argument === undefined) return utf8Encoder.encode(`${verb}\r\n`);
  const bytes = utf8Encoder.encode(`${verb} ${argument}\r\n`);
  rejectControlBytes(bytes.subarray(verb.length + 1, -2), argumentInErrors);
  return bytes;
}

export interface ExpectedNntpReply {
  /** The section of the RFC that defines the NNTP command. */
  readonly rfcSection: string;
  /** The NNTP reply codes, or their first digits, after which the request continues. */
  readonly expectedReplyCodes: readonly string[];
  /** The text that describes the expected replies to the NNTP command. */
  readonly replyDescription: string;
}

const LOGIN_RFC_SECTION = "RFC 4643 2.3";
const LOGIN_STEPS: readonly Step[] = [
  createSendStep(undefined, LOGIN_RFC_SECTION, "AUTHINFO USER (if required)", {
    onReply: "480",
    secret: true,
  }),
  createExpectReplyStep(
    ["281", "381"],
    LOGIN_RFC_SECTION,
    "281: the login is complete; 381: the server requires a password",
    "480",
  ),
  createSendStep(undefined, LOGIN_RFC_SECTION, `AUTHINFO PASS ${PASSWORD_MASK} (if required)`, {
    onReply: "381",
    secret: true,
  }),
  createExpectReplyStep(["281"], LOGIN_RFC_SECTION, "281: the login is complete", "381"),
];

interface CommandConditions {
  /**
   * The beginning of the reply after which the command is sent. Default: the NNTP command is sent whatever the reply
   * is.
   */
  readonly onReply?: string | undefined;
  /**
   * The description of a command argument that depends on earlier replies of the NNTP server. The plan contains no
   * bytes for an NNTP command whose argument depends on earlier replies.
   */
  readonly laterArgument?: string | undefined;
}

/** Plans a command. If the server requires a login, the planned steps log in and repeat the command (RFC 4643 §2.3). */
export function planCommandAndRepeatAfterLogin(
  verb: string,
  argument: string | undefined,
  { rfcSection, expectedReplyCodes, replyDescription }: ExpectedNntpReply,
  { onReply, laterArgument }: CommandConditions = {},
): Step[] {
  const isLater = laterArgument !== undefined;
  const bytes = isLater ? undefined : encodeNntpCommand(verb, argument);
  const description = [verb, laterArgument ?? argument ?? ""].join(" ").trimEnd();
  const send = (onReply: string | undefined): Step =>
    createSendStep(bytes, rfcSection, description, { command: isLater ? verb : undefined, onReply });
  return [
    send(onReply),
    createExpectReplyStep(
      [...expectedReplyCodes, "480"],
      rfcSection,
      `${replyDescription}; 480: the server requires a login`,
      onReply,
    ),
    ...LOGIN_STEPS,
    send("281"),
    createExpectReplyStep(expectedReplyCodes, rfcSection, replyDescription, "281"),
  ];
}

/** RFC 3977 §3.6: "A message-id MUST NOT be longer than 250 octets", "<" and ">" included. */
const MAX_MESSAGE_ID_BYTES = 250;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;

/**
 * Formats a message identifier as the argument of a command, between "<" and ">" (RFC 3977 §3.6). Throws
 * `refused-characters` for "<", ">", and bytes other than printable US-ASCII in the message identifier. A blank or ">"
 * in the message identifier would begin another argument of the NNTP command.
 */
export function toMessageIdArgument(decoded: Uint8Array): string {
  for (const byte of rejectControlBytes(decoded, "message identifier")) {
    if (byte > 0x20 && byte < 0x7f && byte !== LESS_THAN && byte !== GREATER_THAN) continue;
    const name = `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    throw createInvalidMessageIdError(`the message identifier contains the byte ${name}`);
  }
  if (decoded.length + 2 > MAX_MESSAGE_ID_BYTES)
    throw createInvalidMessageIdError(`the message identifier is longer than ${MAX_MESSAGE_ID_BYTES} bytes`);
  return `<${new TextDecoder().decode(decoded)}>`;
}

function createInvalidMessageIdError(reason: string): AccessError {
  return new AccessError("refused-characters", reason, {
    advice: "no article can have this message identifier (RFC 3977 §3.6)",
  });
}
