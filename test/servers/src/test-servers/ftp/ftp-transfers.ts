import {
  formatFactsListingLine,
  listServedFtpEntries,
  formatLongListingLine,
  formatFtpTimeVal,
  type FtpListingEntry,
} from "./ftp-listing.ts";
import type { FtpTestServerSession } from "./ftp-session.ts";

/** Converts line ends to CRLF for TYPE A (RFC 959 §3.1.1.1). */
function toNetworkAscii(content: Buffer): Buffer {
  return Buffer.from(content.toString("latin1").replaceAll(/\r?\n/g, "\r\n"), "latin1");
}

function convertToTransferType(session: FtpTestServerSession, content: Buffer): Buffer {
  return session.transferType === "A" ? toNetworkAscii(content) : content;
}

/** Executes the command RETR of a client (RFC 959 §4.1.3), from the offset of REST. */
export async function sendFileForRetr(session: FtpTestServerSession, path: string): Promise<string> {
  const node = session.findNode(path);
  const from = session.restartOffset;
  session.restartOffset = 0;
  if (node?.kind !== "file")
    return `550 ${path}: ${node === undefined ? "No such file." : "Not a plain file."}`;
  const bytes = convertToTransferType(session, node.content);
  if (from > bytes.length) return "554 The restart point is beyond the end of the file.";
  return session.sendData(bytes.subarray(from), `${path} (${bytes.length - from} bytes)`);
}

/** Sends a listing over the data connection, one line per entry. */
async function sendListing(
  session: FtpTestServerSession,
  path: string,
  line: (entry: FtpListingEntry) => string,
): Promise<string> {
  session.restartOffset = 0;
  const absolute = session.resolvePath(path);
  if (session.serverState.fileTree.findNode(absolute) === undefined)
    return `550 ${path}: No such file or folder.`;
  const lines = listServedFtpEntries(session.serverState.fileTree, absolute).map(
    (entry) => `${line(entry)}\r\n`,
  );
  return session.sendData(Buffer.from(lines.join("")), "the listing");
}

/** Returns the path after options of `ls` such as `-al`, which many clients send with LIST. */
function removeListOptions(argument: string): string {
  return argument.replace(/^-\S*\s*/, "");
}

/** Executes the command LIST of a client (RFC 959 §4.1.3). */
export function sendListingInLsFormat(
  session: FtpTestServerSession,
  argument: string | undefined,
): Promise<string> {
  const { modifiedAt } = session.serverState;
  return sendListing(session, removeListOptions(argument ?? ""), (entry) =>
    formatLongListingLine(entry, modifiedAt),
  );
}

/** Executes the command NLST of a client (RFC 959 §4.1.3), which lists only names. */
export function sendNameListing(
  session: FtpTestServerSession,
  argument: string | undefined,
): Promise<string> {
  return sendListing(session, removeListOptions(argument ?? ""), ({ name }) => name);
}

/** Executes the command MLSD of a client (RFC 3659 §7). The server refuses MLSD of a file. */
export async function sendFactsListing(
  session: FtpTestServerSession,
  argument: string | undefined,
): Promise<string> {
  const { modifiedAt } = session.serverState;
  if (session.findNode(argument ?? "")?.kind === "file") return `501 ${argument}: Not a folder.`;
  return sendListing(session, argument ?? "", (entry) => formatFactsListingLine(entry, modifiedAt));
}

/** Executes the command MLST of a client (RFC 3659 §7), which sends the facts of one file on the control connection. */
export function replyWithFacts(session: FtpTestServerSession, argument: string | undefined): string {
  const path = session.resolvePath(argument ?? "");
  const node = session.serverState.fileTree.findNode(path);
  if (node === undefined) return `550 ${argument}: No such file or folder.`;
  return `250-Facts\r\n ${formatFactsListingLine({ name: path, node }, session.serverState.modifiedAt)}\r\n250 End`;
}

/**
 * Executes the command SIZE of a client (RFC 3659 §4), which returns the number of bytes that RETR would send in the
 * current type.
 */
export function replyWithSize(session: FtpTestServerSession, path: string): string {
  const node = session.findNode(path);
  if (node?.kind !== "file") return `550 ${path}: Not a plain file.`;
  return `213 ${convertToTransferType(session, node.content).length}`;
}

/** Executes the command MDTM of a client (RFC 3659 §3), which returns the modification time. */
export function replyWithModificationTime(session: FtpTestServerSession, path: string): string {
  if (session.findNode(path)?.kind !== "file") return `550 ${path}: Not a plain file.`;
  return `213 ${formatFtpTimeVal(session.serverState.modifiedAt)}`;
}
