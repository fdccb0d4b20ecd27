import { factsLine, listingEntries, longLine, timeValue, type ListingEntry } from "./ftp-listing.ts";
import type { FtpSession } from "./ftp-session.ts";

/** Converts lines to CRLF for TYPE A. RFC 959 §3.1.1.1. */
function toNetworkAscii(content: Buffer): Buffer {
  return Buffer.from(content.toString("latin1").replaceAll(/\r?\n/g, "\r\n"), "latin1");
}

function wireContent(session: FtpSession, content: Buffer): Buffer {
  return session.type === "A" ? toNetworkAscii(content) : content;
}

/** Performs RETR (RFC 959 §4.1.3), from the offset of REST. */
export async function retrieve(session: FtpSession, path: string): Promise<string> {
  const node = session.find(path);
  const from = session.restartAt;
  session.restartAt = 0;
  if (node?.kind !== "file")
    return `550 ${path}: ${node === undefined ? "No such file." : "Not a plain file."}`;
  const bytes = wireContent(session, node.content);
  if (from > bytes.length) return "554 The restart point is beyond the end of the file.";
  return session.transfer(bytes.subarray(from), `${path} (${bytes.length - from} bytes)`);
}

/** Sends a listing, one line per name. */
async function sendListing(
  session: FtpSession,
  path: string,
  line: (entry: ListingEntry) => string,
): Promise<string> {
  session.restartAt = 0;
  const absolute = session.resolve(path);
  if (session.site.tree.find(absolute) === undefined) return `550 ${path}: No such file or folder.`;
  const lines = listingEntries(session.site.tree, absolute).map((entry) => `${line(entry)}\r\n`);
  return session.transfer(Buffer.from(lines.join("")), "the listing");
}

/** Returns the path after options such as `-al`, which many clients send to a server that runs `ls`. */
function withoutOptions(argument: string): string {
  return argument.replace(/^-\S*\s*/, "");
}

/** Performs LIST (RFC 959 §4.1.3). */
export function list(session: FtpSession, argument: string | undefined): Promise<string> {
  const { modified } = session.site;
  return sendListing(session, withoutOptions(argument ?? ""), (entry) => longLine(entry, modified));
}

/** Performs NLST (RFC 959 §4.1.3): names only. */
export function listNames(session: FtpSession, argument: string | undefined): Promise<string> {
  return sendListing(session, withoutOptions(argument ?? ""), ({ name }) => name);
}

/** Performs MLSD (RFC 3659 §7). Only folders have a listing of facts. */
export async function listFacts(session: FtpSession, argument: string | undefined): Promise<string> {
  const { modified } = session.site;
  if (session.find(argument ?? "")?.kind === "file") return `501 ${argument}: Not a folder.`;
  return sendListing(session, argument ?? "", (entry) => factsLine(entry, modified));
}

/** Performs MLST (RFC 3659 §7): the facts of one name, on the control connection. */
export function showFacts(session: FtpSession, argument: string | undefined): string {
  const path = session.resolve(argument ?? "");
  const node = session.site.tree.find(path);
  if (node === undefined) return `550 ${argument}: No such file or folder.`;
  return `250-Facts\r\n ${factsLine({ name: path, node }, session.site.modified)}\r\n250 End`;
}

/** Performs SIZE (RFC 3659 §4): the number of bytes that RETR would send in the current type. */
export function size(session: FtpSession, path: string): string {
  const node = session.find(path);
  if (node?.kind !== "file") return `550 ${path}: Not a plain file.`;
  return `213 ${wireContent(session, node.content).length}`;
}

/** Performs MDTM (RFC 3659 §3). */
export function modificationTime(session: FtpSession, path: string): string {
  if (session.find(path)?.kind !== "file") return `550 ${path}: Not a plain file.`;
  return `213 ${timeValue(session.site.modified)}`;
}
