import {
  connectSteps,
  expectStep,
  makePlan,
  type Plan,
  type PlanOptions,
  sendStep,
  type Step,
  step,
} from "@anyscheme/core";
import { decodeOctets, MASK } from "@anyscheme/core/syntax";
import { type CommandParts, encodeCommand, shown } from "./encode.ts";
import type { FtpCallOptions, FtpOptions } from "./options.ts";
import type { FtpUrl } from "./syntax.ts";
import { guessTransferType, type TransferType } from "./transfer-type.ts";

// RFC 1123 §4.1.2.11: "A User-FTP SHOULD generally use only the highest-order digit of a 3-digit reply code for making a
// procedural decision". The further digits are looked at only where they tell what to do next.

type CallOptions = PlanOptions & FtpCallOptions;

/** Makes a `send` step for a command; `shown` replaces its argument in the text. */
type Say = (
  command: CommandParts,
  section: string,
  init?: { text?: string; when?: string; secret?: boolean },
) => Step;

/**
 * The walk of RFC 1738 §3.2.2: login, one CWD for each directory, and then a list of names for the typecode `d`, else TYPE
 * and RETR. An empty name without a typecode, of which the RFC says nothing, stands for a listing of the directory walked to.
 * Throws `refused-octets`.
 */
export function planFtp(url: FtpUrl, options: CallOptions = {}, settings: FtpOptions = {}): Plan<FtpUrl> {
  const say: Say = (command, section, { text, when, secret } = {}) => {
    const argument = command.argument === undefined ? "" : ` ${shown(command.argument)}`;
    return sendStep(encodeCommand(command, options), section, text ?? `${command.verb}${argument}`, {
      when,
      secret,
    });
  };
  return makePlan(url, [
    ...connectSteps(url),
    expectStep(["220"], "RFC 959 5.4", "220, the greeting; 120 before it means: wait"),
    ...loginSteps(url, options, say),
    ...url.cwd.flatMap((segment) => cwdSteps(decodeOctets(segment), say)),
    ...transferSteps(url, options, settings, say),
    expectStep(["2"], "RFC 959 5.4", "226 or 250: only now the transfer is complete"),
    say({ verb: "QUIT" }, "RFC 959 4.1.1"),
    step("close", "RFC 959 4.1.1", "both connections"),
  ]);
}

/** RFC 1738 §3.2.1; a password or account that the URL does not have is asked for when the server wants it. */
function loginSteps(url: FtpUrl, options: CallOptions, say: Say): Step[] {
  const user = url.user === undefined ? octetsOf("anonymous") : decodeOctets(url.user);
  return [
    say({ verb: "USER", argument: user, what: "user name" }, "3.2.1"),
    expectStep(
      ["2", "331", "332"],
      "RFC 959 5.4",
      "230, logged in; 331, send the password; 332, send the account",
    ),
    passStep(url, options, say),
    expectStep(["2", "332"], "RFC 959 5.4", "230, logged in; 332, send the account", "331"),
    sendStep(undefined, "RFC 959 4.1.1", `ACCT ${MASK} (asked for)`, { when: "332", secret: true }),
    expectStep(["2"], "RFC 959 5.4", "230, logged in", "332"),
  ];
}

function passStep(url: FtpUrl, { email }: CallOptions, say: Say): Step {
  const command = { verb: "PASS", what: "password" };
  if (url.password !== undefined) {
    const argument = decodeOctets(url.password);
    return say({ ...command, argument }, "3.2.1", { text: `PASS ${MASK}`, when: "331", secret: true });
  }
  if (url.user !== undefined) {
    return sendStep(undefined, "3.2.1", `PASS ${MASK} (asked for)`, { when: "331", secret: true });
  }
  if (email === undefined)
    return say({ ...command, argument: octetsOf("anonymous@") }, "3.2.1", { when: "331" });
  const text = `PASS ${MASK} (the e-mail address)`;
  return say({ ...command, argument: octetsOf(email), what: "e-mail address" }, "3.2.1", {
    text,
    when: "331",
    secret: true,
  });
}

function cwdSteps(directory: Uint8Array, say: Say): Step[] {
  const text = directory.length === 0 ? { text: "CWD (a null argument)" } : {};
  return [
    say({ verb: "CWD", argument: directory, what: "directory" }, "3.2.2", text),
    expectStep(["2"], "RFC 959 5.4", "250, the directory is changed"),
  ];
}

function transferSteps(url: FtpUrl, options: CallOptions, settings: FtpOptions, say: Say): Step[] {
  const name = decodeOctets(url.name ?? "");
  const typecode = options.type ?? url.type?.toLowerCase();
  if (typecode === "d") return nameListSteps(name, say);
  if (typecode === undefined && name.length === 0) return listingSteps(say);
  const given = typecode ?? (settings.omittedType === "guess" ? undefined : settings.omittedType);
  const type: TransferType =
    given === undefined ? guessTransferType(name) : { code: given === "a" ? "A" : "I", reason: "as given" };
  const lines = type.code === "A" ? ", in lines that end with CR LF" : "";
  return [
    ...typeSteps(type, typecode === undefined ? "3.2.3" : "3.2.2", say),
    ...dataConnectionSteps(say),
    say({ verb: "RETR", argument: name, what: "name" }, "3.2.2"),
    expectStep(["1"], "RFC 959 5.4", "150 or 125, the transfer begins"),
    step("transfer", "3.2.2", `the octets of the file as they come${lines}`),
  ];
}

/** RFC 1738 §3.2.2: "If the typecode is "d", perform a NLST (name list) command with <name> as the argument". */
function nameListSteps(name: Uint8Array, say: Say): Step[] {
  const argument = name.length === 0 ? undefined : name;
  return [
    ...typeSteps(LISTS, "RFC 959 4.1.3", say),
    ...dataConnectionSteps(say),
    say({ verb: "NLST", argument, what: "name" }, "3.2.2"),
    expectStep(["1"], "RFC 959 5.4", "150 or 125, the transfer begins"),
    step("transfer", "3.2.2", "the names in the directory, one a line"),
  ];
}

/** LIST tells kinds and sizes; a server that does not know it (500 to 504) is asked for the names alone. */
function listingSteps(say: Say): Step[] {
  return [
    ...typeSteps(LISTS, "RFC 959 4.1.3", say),
    ...dataConnectionSteps(say),
    say({ verb: "LIST" }, "RFC 959 4.1.3"),
    expectStep(["1", "50"], "RFC 959 5.4", "150 or 125, the transfer begins; 500 to 504, LIST is not known"),
    say({ verb: "NLST" }, "RFC 959 4.1.3", { when: "50" }),
    expectStep(["1"], "RFC 959 5.4", "150 or 125, the transfer begins", "50"),
    step("transfer", "RFC 959 4.1.3", "the directory, one entry a line"),
  ];
}

const LISTS: TransferType = { code: "A", reason: "lists are text" };

function typeSteps({ code, reason }: TransferType, section: string, say: Say): Step[] {
  return [
    say({ verb: "TYPE", argument: octetsOf(code) }, section, { text: `TYPE ${code} (${reason})` }),
    expectStep(["2"], "RFC 959 5.4", "200, the type is set"),
  ];
}

/** The server opens a port and tells it. Of its reply only the port is used, never an address. */
function dataConnectionSteps(say: Say): Step[] {
  return [
    say({ verb: "EPSV" }, "RFC 2428 3"),
    expectStep(["229", "5"], "RFC 2428 3", "229 and a port; a refusal leads to PASV"),
    say({ verb: "PASV" }, "RFC 959 4.1.2", { when: "5" }),
    expectStep(["227"], "RFC 959 4.1.2", "227 and a port; the address beside it is not used", "5"),
    step("connect", "RFC 959 3.2", "the data connection: that port of the same host"),
  ];
}

function octetsOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
