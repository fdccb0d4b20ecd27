import { type AccessErrorCode, AccessError, type Step } from "@anyscheme/core";
import type { Reply } from "@anyscheme/core/io";
import { createMaskableServerText } from "@anyscheme/core/plugin";
import { formatFtpReplyOnOneLine } from "./reply.ts";

/**
 * Maps the beginning of an FTP reply code to the code of an `AccessError`. Of several prefixes that match an FTP reply
 * code, the first one in the table applies. RFC 959 §4.2.1 and §4.2.2, RFC 2428 §3 (522), RFC 4217 (521, 533, 534 and
 * 536). Some servers refuse a login with 430 instead of 530.
 */
const ACCESS_CODE_BY_REPLY_CODE: readonly (readonly [replyCode: string, code: AccessErrorCode])[] = [
  ["430", "permission-denied"], // Invalid username or password.
  ["4", "unavailable"], // "The user-process is encouraged to try again."
  ["500", "unsupported"], // Syntax error, command unrecognized.
  ["501", "unsupported"], // Syntax error in parameters or arguments.
  ["502", "unsupported"], // Command not implemented.
  ["504", "unsupported"], // Command not implemented for that parameter.
  ["521", "unsupported"], // Data connection cannot be opened with this PROT setting.
  ["522", "unsupported"], // Network protocol not supported. vsftpd: the data connection must resume the TLS session.
  ["530", "permission-denied"], // Not logged in.
  ["532", "authentication-required"], // Need account for storing files.
  ["533", "permission-denied"], // Command protection level denied for policy reasons.
  ["534", "permission-denied"], // Request denied for policy reasons.
  ["536", "unsupported"], // Requested PROT level not supported.
  ["550", "not-found"], // File unavailable (e.g., file not found, no access).
  ["551", "unsupported"], // Page type unknown.
  ["553", "permission-denied"], // File name not allowed.
  ["5", "unavailable"], // "The user-process is discouraged from repeating the exact request."
];

/** Matches the text of a 550 that denies access to an existing file. */
const ACCESS_DENIED_TEXT =
  /permission|denied|not allowed|forbidden|no access|not authori[sz]ed|read[ -]only/i;

/** Matches the text of a reply which says that the name does not exist. proftpd also sends it with 450. */
const NO_SUCH_FILE_TEXT = /no such (?:file|directory)|not found|(?:not|n't) exist/i;

/** Matches the text of a reply which says that an existing file or directory prevents a change. */
const EXISTING_ENTRY_TEXT = /\bexists\b|\bnot empty\b|\bis a directory\b/i;

const TOO_MANY_CONNECTIONS_TEXT =
  /too many|maximum|(?:connection|user|client)s? limit|limit (?:reached|exceeded)|already (?:logged|connected)|connections? (?:from|allowed)/i;

/**
 * Matches the text of a reply which says that the server accepts a login only over TLS. RFC 4217 defines no reply code
 * for a login that is refused because it lacks TLS: vsftpd sends 530, proftpd 550, pure-ftpd 421 and FileZilla 503.
 */
const TLS_REQUIRED_TEXT = /\b(?:SSL|TLS|cleartext|encryption|encrypted)\b|\bAUTH first\b/i;

const FAILED_LOGIN_ATTEMPTS_TEXT = /attempt|failure/i;

/**
 * Matches the text of a reply which says that a listing has no entries. proftpd sends 450 for an empty listing;
 * inetutils' ftpd and MVS send 550.
 */
const EMPTY_LISTING_TEXT = /\bno (?:matching )?(?:files|members|data sets|entries)(?: were)? found\b/i;

const IS_DIRECTORY_TEXT = /\bis a directory|not a (?:regular|plain) file/i;

const LOGIN_COMMANDS: ReadonlySet<string> = new Set(["USER", "PASS", "ACCT"]);
/** The FTP commands that create a file or directory, and so do not fail because its name is missing. */
const CREATING_COMMANDS: ReadonlySet<string> = new Set(["APPE", "MKD", "RNTO", "STOR"]);
const DELETING_COMMANDS: ReadonlySet<string> = new Set(["DELE", "RMD"]);
const LISTING_COMMANDS: ReadonlySet<string> = new Set(["MLSD", "LIST", "NLST"]);

/** The command to which the server replied; `undefined` for the greeting. */
type RefusedCommand = Pick<Step, "command" | "description"> | undefined;

/** The login and TLS state of the FTP session in which the server refused a command. */
interface RefusedSession {
  readonly isAnonymous?: boolean;
  /** True if the control connection uses TLS. */
  readonly isSecure?: boolean;
}

/** The error for an FTP reply that the plan does not expect. */
export class FtpReplyError extends AccessError {
  readonly reply: Reply;
  /** The name of the refused command, as in `RETR`; `""` for the greeting. */
  readonly command: string;

  constructor(code: AccessErrorCode, reply: Reply, step: RefusedCommand, advice: string | undefined) {
    const command = step?.description ?? "the connection";
    super(
      code,
      [`the server answered ${command} with: `, createMaskableServerText(formatFtpReplyOnOneLine(reply))],
      {
        advice,
        isTemporary: code === "unavailable" && reply.code.startsWith("4"),
      },
    );
    this.reply = reply;
    this.command = step?.command ?? "";
  }

  /**
   * True if the FTP reply means that the server accepts no more connections. Some servers limit the number of data
   * connections, and refuse EPSV with 425.
   */
  get isTooManyConnections(): boolean {
    return isTooManyConnections(this.reply);
  }

  /** True if the refusal only means that the listing has no entries. */
  get isEmptyListing(): boolean {
    const { code, text } = this.reply;
    return LISTING_COMMANDS.has(this.command) && /^[45]50$/.test(code) && EMPTY_LISTING_TEXT.test(text);
  }
}

/**
 * Creates the error for a reply that the plan does not expect. The message of the error contains the text of the reply.
 */
export function createFtpReplyError(
  reply: Reply,
  step: RefusedCommand,
  { isAnonymous = false, isSecure = false }: RefusedSession = {},
): FtpReplyError {
  const command = step?.command ?? "";
  const code = getReplyErrorCode(command, reply);
  if (LOGIN_COMMANDS.has(command)) {
    if (isTooManyConnections(reply)) return new FtpReplyError("unavailable", reply, step, undefined);
    if (!isSecure && TLS_REQUIRED_TEXT.test(reply.text))
      return new FtpReplyError("permission-denied", reply, step, TLS_ADVICE);
  }
  if (code === "not-found" || code === "rejected")
    return new FtpReplyError(code, reply, step, getReplyAdvice(command, reply));
  if (code !== "permission-denied" || !LOGIN_COMMANDS.has(command))
    return new FtpReplyError(code, reply, step, undefined);
  return isAnonymous
    ? new FtpReplyError("authentication-required", reply, step, ANONYMOUS_ADVICE)
    : new FtpReplyError(code, reply, step, LOGIN_ADVICE);
}

const TLS_ADVICE = 'the server requires TLS: use the option tls: "explicit"';
const ANONYMOUS_ADVICE =
  "the server accepts no anonymous users: use ftp://user@host/ and the option credentials";
const LOGIN_ADVICE = "check the user name and password in the URL or the option credentials";

function isTooManyConnections({ code, text }: Reply): boolean {
  return (
    /^(?:42[156]|530)$/.test(code) &&
    TOO_MANY_CONNECTIONS_TEXT.test(text) &&
    !FAILED_LOGIN_ATTEMPTS_TEXT.test(text)
  );
}

// vsftpd replies to RETR of a directory as if the file did not exist. Some FTP servers reply to RETR or DELE of a
// directory that the name is no regular file.
function getReplyAdvice(command: string, { text }: Reply): string | undefined {
  if (command === "RETR" && !NO_SUCH_FILE_TEXT.test(text))
    return "the name may be a directory: add a slash at the end of the URL, or ;type=d to list its names";
  if (command === "DELE" && IS_DIRECTORY_TEXT.test(text))
    return "the name may be a directory: add a slash at the end of the URL";
  if ((command === "CWD" || command === "RMD") && /not a directory/i.test(text))
    return "the URL of a file has no slash at its end";
  return undefined;
}

function getReplyErrorCode(command: string, { code, text }: Reply): AccessErrorCode {
  if (code === "550" && ACCESS_DENIED_TEXT.test(text)) return "permission-denied";
  if (code === "450" && NO_SUCH_FILE_TEXT.test(text)) return "not-found";
  if (isRejectedChange(command, { code, text })) return "rejected";
  return ACCESS_CODE_BY_REPLY_CODE.find(([replyCode]) => code.startsWith(replyCode))?.[1] ?? "protocol";
}

/**
 * True when the server refuses a change because of an existing file or directory, or refuses to create a name without a
 * known reason. Some servers reply to MKD of an existing directory with 521 or 553.
 */
function isRejectedChange(command: string, { code, text }: Reply): boolean {
  const isCreating = CREATING_COMMANDS.has(command);
  if (
    (isCreating || DELETING_COMMANDS.has(command)) &&
    /^(?:521|55[03])$/.test(code) &&
    EXISTING_ENTRY_TEXT.test(text)
  )
    return true;
  return isCreating && code === "550" && !NO_SUCH_FILE_TEXT.test(text);
}
