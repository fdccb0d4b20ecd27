import { type AccessCode, AccessError } from "@anyscheme/core";
import { serverText } from "@anyscheme/core/plugin";
import { type Reply, formatReply } from "./reply.ts";

/**
 * What a refusal means, by the beginning of its code; the first row that fits counts. RFC 959 §4.2.1 and §4.2.2, RFC 2428 §3
 * (522); 430 is what some servers say instead of 530.
 */
const MEANINGS: readonly (readonly [code: string, meaning: AccessCode])[] = [
  ["421", "unavailable"], // Service not available, closing control connection.
  ["425", "unavailable"], // Can't open data connection.
  ["426", "unavailable"], // Connection closed; transfer aborted.
  ["430", "permission-denied"], // Invalid username or password.
  ["450", "unavailable"], // File unavailable (e.g., file busy).
  ["451", "unavailable"], // Local error in processing.
  ["4", "unavailable"], // "The user-process is encouraged to try again."
  ["500", "unsupported"], // Syntax error, command unrecognized.
  ["501", "unsupported"], // Syntax error in parameters or arguments.
  ["502", "unsupported"], // Command not implemented.
  ["504", "unsupported"], // Command not implemented for that parameter.
  ["522", "unsupported"], // Network protocol not supported.
  ["530", "permission-denied"], // Not logged in.
  ["532", "authentication-required"], // Need account for storing files.
  ["550", "not-found"], // File unavailable (e.g., file not found, no access).
  ["551", "unsupported"], // Page type unknown.
  ["552", "unavailable"], // Exceeded storage allocation.
  ["553", "permission-denied"], // File name not allowed.
  ["5", "unavailable"],
];

/** Words by which servers say that a 550 means "no access" and not "file not found". */
const NO_ACCESS = /permission|denied|not allowed|forbidden|no access|not authori[sz]ed/i;

/** Words by which servers say that nothing has that name; proftpd with 450, too. */
const NO_SUCH = /no such (?:file|directory)|not found/i;

const LOGIN: ReadonlySet<string> = new Set(["USER", "PASS", "ACCT"]);

/** What was said to the server before it refused. */
export interface Refused {
  /** The text of the command; `undefined` before the first one. */
  readonly said: string | undefined;
  /** Whether the URL has no login. */
  readonly anonymous: boolean;
}

/** Words by which servers say that a refusal is about the number of connections, and not about a password or a file. */
const TOO_MANY =
  /too many|maximum|(?:connection|user|client)s? limit|limit (?:reached|exceeded)|already (?:logged|connected)|connections? (?:from|allowed)/i;

/** Words about wrong passwords. */
const ATTEMPTS = /attempt|failure/i;

/**
 * Words by which servers say that there is nothing to list: proftpd with 450, inetutils' ftpd with 550 (of files), those of
 * MVS with 550 (of members and data sets).
 */
const NO_ENTRIES = /\bno (?:matching )?(?:files|members|data sets|entries)(?: were)? found\b/i;

const LISTINGS: ReadonlySet<string> = new Set(["MLSD", "LIST", "NLST"]);

/** A reply that the plan cannot go on with. */
export class FtpReplyError extends AccessError {
  readonly reply: Reply;
  /** The command that was refused, as in `RETR`; `""` before the first one. */
  readonly command: string;

  constructor(code: AccessCode, reply: Reply, { said }: Refused, advice?: string) {
    const what = [`the server answered ${said ?? "the connection"} with: `, serverText(formatReply(reply))];
    super(code, what, { advice });
    this.reply = reply;
    this.command = said?.slice(0, 4).trimEnd() ?? "";
  }

  /** Whether the server has as many connections as it takes. Some servers count data connections, and answer EPSV with 425. */
  get isTooManyConnections(): boolean {
    const { code, text } = this.reply;
    return /^(?:42[156]|530)$/.test(code) && TOO_MANY.test(text) && !ATTEMPTS.test(text);
  }

  /** Whether a listing has no entries, and nothing else is wrong with it. */
  get isEmptyListing(): boolean {
    const { code, text } = this.reply;
    return LISTINGS.has(this.command) && /^[45]50$/.test(code) && NO_ENTRIES.test(text);
  }
}

/** The error for a reply that the plan cannot go on with; it has the server's words. */
export function replyError(reply: Reply, refused: Refused): FtpReplyError {
  const meaning = meaningOf(reply);
  const error = new FtpReplyError(meaning, reply, refused);
  if (meaning === "permission-denied" && LOGIN.has(error.command)) return loginRefusal(error, refused);
  const advice = meaning === "not-found" ? nameAdvice(error) : undefined;
  return advice === undefined ? error : new FtpReplyError(meaning, reply, refused, advice);
}

function loginRefusal(
  { reply, isTooManyConnections: meansFull }: FtpReplyError,
  refused: Refused,
): FtpReplyError {
  if (meansFull) return new FtpReplyError("unavailable", reply, refused);
  if (!refused.anonymous) {
    const advice = "check the user name and the password, which the URL or the option credentials gives";
    return new FtpReplyError("permission-denied", reply, refused, advice);
  }
  const advice =
    "the server does not take anonymous users: write a user name, as in ftp://user@host/, and give its password by the option credentials";
  return new FtpReplyError("authentication-required", reply, refused, advice);
}

/** Words by which servers say that a name stands for a directory. */
const IS_DIRECTORY = /\bis a directory|not a (?:regular|plain) file/i;

/** vsftpd answers RETR of a directory as that of a file that is not there; the others say that it is no regular file. */
function nameAdvice({ command: verb, reply: { text } }: FtpReplyError): string | undefined {
  if (verb === "RETR" && !NO_SUCH.test(text))
    return "it may be a directory: write a slash at the end, or ;type=d for its names alone";
  if (verb === "DELE" && IS_DIRECTORY.test(text)) return "it may be a directory: write a slash at the end";
  if ((verb === "CWD" || verb === "RMD") && /not a directory/i.test(text))
    return "a file has no slash at its end";
  return undefined;
}

/** Whether a reply that confirms a transfer says that there was none: vsftpd sends it for a directory that it may not read. */
export function isFailedTransfer({ code, text }: Reply): boolean {
  return code === "226" && text.includes("failed to open directory");
}

function meaningOf(reply: Reply): AccessCode {
  if (reply.code === "550" && NO_ACCESS.test(reply.text)) return "permission-denied";
  if (reply.code === "450" && NO_SUCH.test(reply.text)) return "not-found";
  return MEANINGS.find(([code]) => reply.code.startsWith(code))?.[1] ?? "protocol";
}
