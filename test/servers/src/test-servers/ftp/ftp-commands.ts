import type { FtpTestServerSession } from "./ftp-session.ts";
import {
  sendListingInLsFormat,
  sendFactsListing,
  sendNameListing,
  replyWithModificationTime,
  sendFileForRetr,
  replyWithFacts,
  replyWithSize,
} from "./ftp-transfers.ts";

type FtpCommandHandler = (
  session: FtpTestServerSession,
  argument: string | undefined,
) => string | Promise<string>;

const featReplyLines = [
  "EPSV",
  "MDTM",
  "MLST type*;size*;modify*;perm*;",
  "PASV",
  "REST STREAM",
  "SIZE",
  "TVFS",
  "UTF8",
];
const anonymousUserNames = new Set(["anonymous", "ftp"]);

/** Returns a command handler that replies 501 when the argument is missing or empty. */
function createHandlerWithArgument(
  handler: (session: FtpTestServerSession, argument: string) => string | Promise<string>,
): FtpCommandHandler {
  return (session, argument) =>
    argument === undefined || argument === "" ? "501 Missing argument." : handler(session, argument);
}

function createFixedReplyHandler(reply: string): FtpCommandHandler {
  return () => reply;
}

/** Returns a command handler that accepts only one value of the argument. */
function createHandlerForOneValue(value: string, meaning: string): FtpCommandHandler {
  return createHandlerWithArgument((_session, argument) =>
    argument.toUpperCase() === value ? `200 ${meaning}.` : "504 Not implemented for that parameter.",
  );
}

function handleUserCommand(session: FtpTestServerSession, name: string): string {
  session.userName = name;
  session.loggedIn = false;
  return `331 Password required for ${name}.`;
}

function handlePassCommand(session: FtpTestServerSession, password: string | undefined): string {
  const { serverState, userName: name } = session;
  if (name === undefined) return "503 Log in with USER first.";
  const isGuest = serverState.allowsAnonymous && anonymousUserNames.has(name.toLowerCase());
  session.loggedIn =
    isGuest || (password !== undefined && serverState.passwordsByUser.get(name) === password);
  return session.loggedIn ? "230 Logged in." : "530 Login incorrect.";
}

function changeFolder(session: FtpTestServerSession, path: string): string {
  if (session.findNode(path)?.kind !== "folder") return `550 ${path}: No such folder.`;
  session.currentFolder = session.resolvePath(path);
  return "250 Folder changed.";
}

function replyWithCurrentFolder({ currentFolder }: FtpTestServerSession): string {
  return `257 "${currentFolder.replaceAll('"', '""')}" is the current folder.`;
}

const transferTypesByArgument: Readonly<Record<string, "A" | "I">> = {
  A: "A",
  "A N": "A",
  I: "I",
  "L 8": "I",
};

function setTransferType(session: FtpTestServerSession, code: string): string {
  const type = transferTypesByArgument[code.toUpperCase()];
  if (type === undefined) return "504 Not implemented for that parameter.";
  session.transferType = type;
  return `200 Type set to ${type}.`;
}

/**
 * Executes the command EPSV of a client (RFC 2428 §3). The FTP test server supports only the network protocol 1 of
 * EPSV, which is IPv4.
 */
async function enterExtendedPassiveMode(session: FtpTestServerSession, protocol = "1"): Promise<string> {
  if (protocol.toUpperCase() === "ALL") {
    session.allowsOnlyEpsv = true;
    return "200 Only EPSV from now on.";
  }
  if (protocol !== "1") return "522 Network protocol not supported, use (1)";
  return `229 Entering Extended Passive Mode (|||${await session.listenForData()}|)`;
}

async function enterPassiveMode(session: FtpTestServerSession): Promise<string> {
  if (session.allowsOnlyEpsv) return "503 Not allowed after EPSV ALL.";
  const port = await session.listenForData();
  return `227 Entering Passive Mode (127,0,0,1,${port >> 8},${port & 255}).`;
}

/**
 * Executes the command REST of a client (RFC 3659 §5). In TYPE A, an offset in the file would differ from the offset in
 * the transfer.
 */
function setRestartOffset(session: FtpTestServerSession, offset: string): string {
  if (!/^\d{1,15}$/.test(offset)) return "501 Not a number of bytes.";
  if (session.transferType === "A" && Number(offset) > 0) return "501 Restart needs TYPE I.";
  session.restartOffset = Number(offset);
  return `350 Restarting at ${offset}.`;
}

const rejectAsReadOnly = createFixedReplyHandler("550 This server is read-only.");
const rejectActiveMode = createFixedReplyHandler("502 Use EPSV or PASV.");

/** The command handlers by FTP command. A handler sends preliminary replies and returns the last reply. */
const ftpCommands: ReadonlyMap<string, FtpCommandHandler> = new Map<string, FtpCommandHandler>([
  ["USER", createHandlerWithArgument(handleUserCommand)],
  ["PASS", handlePassCommand],
  ["QUIT", createFixedReplyHandler("221 Goodbye.")],
  ["NOOP", createFixedReplyHandler("200 Here.")],
  [
    "FEAT",
    createFixedReplyHandler(
      `211-Features:\r\n${featReplyLines.map((feature) => ` ${feature}\r\n`).join("")}211 End`,
    ),
  ],
  ["SYST", createFixedReplyHandler("215 UNIX Type: L8")],
  ["OPTS", createHandlerForOneValue("UTF8 ON", "Always in UTF8 mode")],
  ["ALLO", createFixedReplyHandler("202 Not needed.")],
  ["CWD", createHandlerWithArgument(changeFolder)],
  ["CDUP", (session) => changeFolder(session, "..")],
  ["PWD", replyWithCurrentFolder],
  ["TYPE", createHandlerWithArgument(setTransferType)],
  ["MODE", createHandlerForOneValue("S", "Mode set to S")],
  ["STRU", createHandlerForOneValue("F", "Structure set to F")],
  ["EPSV", enterExtendedPassiveMode],
  ["PASV", enterPassiveMode],
  ["PORT", rejectActiveMode],
  ["EPRT", rejectActiveMode],
  ["REST", createHandlerWithArgument(setRestartOffset)],
  ["RETR", createHandlerWithArgument(sendFileForRetr)],
  ["LIST", sendListingInLsFormat],
  ["NLST", sendNameListing],
  ["MLSD", sendFactsListing],
  ["MLST", replyWithFacts],
  ["SIZE", createHandlerWithArgument(replyWithSize)],
  ["MDTM", createHandlerWithArgument(replyWithModificationTime)],
  ["ABOR", createFixedReplyHandler("226 No transfer is running.")],
  ...["STOR", "STOU", "APPE", "DELE", "RMD", "MKD", "RNFR", "RNTO"].map(
    (verb): [string, FtpCommandHandler] => [verb, rejectAsReadOnly],
  ),
]);

const commandsAllowedBeforeLogin = new Set(["USER", "PASS", "QUIT", "NOOP", "FEAT", "SYST", "OPTS"]);

/** Executes one FTP command line of a client and returns its last reply. */
export async function handleReceivedFtpCommand(session: FtpTestServerSession, line: string): Promise<string> {
  const [, verb = "", argument] = /^([A-Za-z]{3,4})(?: (.*))?$/s.exec(line) ?? [];
  const handler = ftpCommands.get(verb.toUpperCase());
  if (handler === undefined) return "500 Command not understood.";
  if (!session.loggedIn && !commandsAllowedBeforeLogin.has(verb.toUpperCase()))
    return "530 Log in with USER and PASS.";
  return handler(session, argument);
}
