import { splitProsperoMessageIntoTokenLines, quoteToken } from "./prospero-tokenizer.ts";
import {
  formatProsperoAttributeLine,
  listProsperoAttributeLines,
  type ServedProsperoDirectory,
  formatProsperoLinkLine,
  type ServedProsperoObject,
  type ProsperoLink,
} from "./served-objects.ts";
import { findProsperoSelectLineFault } from "./check-prospero-select-line.ts";

/** The objects and the settings of a Prospero test server. */
export interface ProsperoServerObjectsAndSettings {
  readonly servedObjects: ReadonlyMap<string, ServedProsperoObject>;
  /** The host name of the Prospero server, with its port in parentheses: `LOCALHOST(15250)`. */
  readonly serverName: string;
  /**
   * The name below which the Prospero server has objects. When this name prefix is empty, the Prospero server has
   * objects below any name.
   */
  readonly servedNamePrefix: string;
  /**
   * The folder of anonymous FTP. Host-specific names of Prospero that begin with `AFTP` also refer to the anonymous FTP
   * folder.
   */
  readonly anonymousFtpFolder: string | undefined;
}

/** The Prospero commands that `SELECT` lines may follow. */
const COMMANDS_AFTER_SELECT: ReadonlySet<string> = new Set(["LIST", "GET-OBJECT-INFO"]);

const VERSION_REPLY_LINE = "VERSION 5 P53.17May94b\n";
const NOT_FOUND_REPLY_LINE = "FAILURE NOT-FOUND\n";
const MALFORMED_REPLY_LINE = "ERROR Malformed input line: Read' Prospero message with an empty line.'\n";

/**
 * Returns the reply to a Prospero message. The Prospero message and its reply are strings with one character per byte.
 */
export function replyToProsperoMessage(message: string, site: ProsperoServerObjectsAndSettings): string {
  if (message === "") return "ERROR ERROR Received empty Prospero request packet\n";
  if (/\r\n/.test(message.replace(/'[^']*'/g, ""))) return MALFORMED_REPLY_LINE;
  const lines = splitProsperoMessageIntoTokenLines(message);
  let reply = "";
  let directory = "";
  for (const [index, { tokens, line }] of lines.entries()) {
    const [command = "", ...rest] = tokens;
    const fault = COMMANDS_AFTER_SELECT.has(command)
      ? findFaultInSelectLines(lines.slice(index + 1))
      : undefined;
    if (fault !== undefined)
      return `${reply}ERROR ${command}${command === "LIST" ? ":" : ""} ${quoteToken(fault)}\n`;
    if (command === "VERSION" && rest.length === 0) reply += VERSION_REPLY_LINE;
    else if (command === "VERSION" && rest[0] !== "5") return `${reply}VERSION-NOT-SUPPORTED TRY 1-5`;
    else if (command === "DIRECTORY") directory = rest[1] ?? "";
    else if (command === "LIST") reply += replyToList(directory, rest, site);
    else if (command === "GET-OBJECT-INFO") reply += replyToGetObjectInfo(rest, site);
    else if (command === "STATUS") reply += `Prospero server of the tests ${site.serverName}\n`;
    else if (!["VERSION", "AUTHENTICATE", "SELECT"].includes(command))
      reply += `ERROR Unknown message: ${line}\n`;
  }
  return reply;
}

/**
 * Returns the host-specific name of an object, in which the folder of anonymous FTP replaces the prefix `AFTP`.
 */
function resolveCanonicalName(
  hsoname: string,
  { anonymousFtpFolder: aftpRoot }: ProsperoServerObjectsAndSettings,
): string {
  const below = /^AFTP(?=\/|$)/.test(hsoname) ? hsoname.slice("AFTP".length) : undefined;
  return below === undefined || aftpRoot === undefined ? hsoname : aftpRoot + below;
}

function findServedObject(
  hsoname: string,
  site: ProsperoServerObjectsAndSettings,
): ServedProsperoObject | "not-authorized" | undefined {
  const name = resolveCanonicalName(hsoname, site);
  const isBelow = (root: string | undefined): boolean =>
    root !== undefined && `${name}/`.startsWith(`${root}/`);
  const known =
    site.servedNamePrefix === "" || isBelow(site.servedNamePrefix) || isBelow(site.anonymousFtpFolder);
  return known ? site.servedObjects.get(name) : "not-authorized";
}

/** Returns the error text for the first invalid `SELECT` line after a command, or undefined. */
function findFaultInSelectLines(
  lines: ReturnType<typeof splitProsperoMessageIntoTokenLines>,
): string | undefined {
  for (const { tokens, line } of lines) {
    if (tokens[0] !== "SELECT") return undefined;
    const fault = findProsperoSelectLineFault(tokens, line);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function formatForwardedLine({ host, hsoname }: { host: string; hsoname: string }): string {
  return `FORWARDED INTERNET-D ${quoteToken(host)} ASCII ${quoteToken(hsoname)} 0\n`;
}

/** Replies to the command `GET-OBJECT-INFO <A+B+…> ASCII <hsoname> <version>`. */
function replyToGetObjectInfo(
  [wanted = "", , hsoname = ""]: readonly string[],
  site: ProsperoServerObjectsAndSettings,
): string {
  const node = findServedObject(hsoname, site);
  if (node === "not-authorized") return "FAILURE NOT-AUTHORIZED\n";
  if (node === undefined) return NOT_FOUND_REPLY_LINE;
  if (node.kind === "forwarded") return formatForwardedLine(node);
  if (wanted === "CONTENTS") {
    if (node.kind !== "file") return NOT_FOUND_REPLY_LINE;
    return formatProsperoAttributeLine("CONTENTS", `DATA ${quoteToken(node.content.toString("latin1"))}`);
  }
  // The original Prospero server returns access methods only together with other attributes.
  if (wanted === "ACCESS-METHOD") return NOT_FOUND_REPLY_LINE;
  const names = wanted.split("+");
  const lines = listProsperoAttributeLines(node, findAftpPath(resolveCanonicalName(hsoname, site), site))
    .filter(([name]) => wanted === "#ALL" || names.includes(name))
    .map(([, line]) => line);
  return lines.join("") || NOT_FOUND_REPLY_LINE;
}

/** Replies to the command `LIST <options> COMPONENTS [name …]`. */
function replyToList(
  hsoname: string,
  [options = "", , ...components]: readonly string[],
  site: ProsperoServerObjectsAndSettings,
): string {
  const node = findServedObject(hsoname, site);
  if (node === "not-authorized") return "FAILURE NOT-AUTHORIZED\n";
  if (node?.kind === "forwarded") return formatForwardedLine(node);
  if (node?.kind !== "directory") return "FAILURE NOT-A-DIRECTORY\n";
  if (options === "VERIFY") return "NONE-FOUND\n";
  const path = components.flatMap((component) => component.split("/")).filter((part) => part !== "");
  return listPathComponents(hsoname, node, path, options.startsWith("ATTRIBUTES"), site);
}

function listPathComponents(
  hsoname: string,
  node: ServedProsperoDirectory,
  path: readonly string[],
  attributes: boolean,
  site: ProsperoServerObjectsAndSettings,
): string {
  const [name, ...rest] = path;
  const links = listDirectoryLinks(hsoname, node, site);
  const found = name === undefined ? links : links.filter((link) => matchesWildcard(link.name, name));
  const [first] = found;
  if (name === undefined || rest.length === 0)
    return found.map((link) => formatLinkWithAttributes(link, attributes, site)).join("") || "NONE-FOUND\n";
  const target =
    first && (first.host ?? site.serverName) === site.serverName
      ? findServedObject(first.hsoname, site)
      : undefined;
  if (first && typeof target === "object" && target.kind === "directory")
    return listPathComponents(first.hsoname, target, rest, attributes, site);
  if (typeof target === "object" && target.kind === "forwarded") {
    // After a forwarding pointer, the original Prospero server omits the first component of the remaining path.
    const link: ProsperoLink = {
      name: "",
      targetType: "DIRECTORY",
      host: target.host,
      hsoname: target.hsoname,
    };
    return `${formatProsperoLinkLine(link, site.serverName)}UNRESOLVED ${rest.slice(1).map(quoteToken).join(" ")}\n`;
  }
  const unions = links.filter(({ union }) => union);
  const elsewhere = first && !unions.includes(first) ? [first, ...unions] : unions;
  if (elsewhere.length === 0) return "NONE-FOUND\n";
  return `${elsewhere.map((link) => formatProsperoLinkLine(link, site.serverName)).join("")}UNRESOLVED ${rest.map(quoteToken).join(" ")}\n`;
}

function matchesWildcard(name: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(name);
}

/**
 * Returns links to the objects below a directory, and the configured links of the directory. The union links of a
 * Prospero directory follow all other links.
 */
function listDirectoryLinks(
  hsoname: string,
  { links }: ServedProsperoDirectory,
  site: ProsperoServerObjectsAndSettings,
): ProsperoLink[] {
  const prefix = `${resolveCanonicalName(hsoname, site)}/`;
  const below = [...site.servedObjects]
    .filter(([path]) => path.startsWith(prefix) && !path.slice(prefix.length).includes("/"))
    .map(([path, { kind }]): ProsperoLink => {
      const name = path.slice(prefix.length);
      return { name, targetType: kind === "directory" ? "DIRECTORY" : "FILE", hsoname: `${hsoname}/${name}` };
    });
  return [...below, ...links.filter(({ union }) => !union), ...links.filter(({ union }) => union)];
}

function formatLinkWithAttributes(
  link: ProsperoLink,
  attributes: boolean,
  site: ProsperoServerObjectsAndSettings,
): string {
  const own = (link.attributes ?? []).map((line) => `${line}\n`);
  const name = resolveCanonicalName(link.hsoname, site);
  const node =
    attributes && link.host === undefined && !link.union ? site.servedObjects.get(name) : undefined;
  const found = node
    ? listProsperoAttributeLines(node, findAftpPath(name, site)).map(([, line]) => line)
    : [];
  return [formatProsperoLinkLine(link, site.serverName), ...own, ...found].join("");
}

function findAftpPath(
  name: string,
  { anonymousFtpFolder: aftpRoot }: ProsperoServerObjectsAndSettings,
): string | undefined {
  return aftpRoot !== undefined && name.startsWith(`${aftpRoot}/`) ? name.slice(aftpRoot.length) : undefined;
}
