import { rejectControlBytes, type PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { ProsperoOptions } from "../options.ts";
import { quote } from "./quoting.ts";
import type { ProsperoUrl } from "../syntax.ts";
import { bytesToLatin1, latin1ToBytes, textOf } from "./text.ts";

/** What goes to a server, and how a plan shows it. */
export interface RequestMessage {
  readonly bytes: Uint8Array;
  /** The command, which is the last lines of the message. */
  readonly text: string;
}

type MessageOptions = PlanOptions & ProsperoOptions;

/** The field that has a place of its own in every command; all others select. RFC 1738 §3.11. */
const VERSION_FIELD = "OBJECT-VERSION";
/** The version of an object of which there is only one, or the latest. */
const ANY_VERSION = "0";

/** Asks for attributes of an object. Throws `refused-characters`. */
export function objectInfoRequest(
  url: ProsperoUrl,
  attributes: string,
  options: MessageOptions,
): RequestMessage {
  const { hsoname, version, others } = decodeObjectName(url, options);
  const selections = others.map(([name, value]) => `SELECT OBJECT FIELD ${formatSelection(name, value)}`);
  const info = `GET-OBJECT-INFO ${attributes} ASCII ${quote(hsoname)} ${quote(version ?? ANY_VERSION)}`;
  return buildRequest([info, ...selections], options);
}

/** Asks for the links of a directory. Throws `refused-characters`. */
export function listRequest(url: ProsperoUrl, options: MessageOptions): RequestMessage {
  const { hsoname, version } = decodeObjectName(url, options);
  const directory = `DIRECTORY ASCII ${quote(hsoname)}${version === undefined ? "" : ` ${quote(version)}`}`;
  return buildRequest([directory, "LIST ATTRIBUTES COMPONENTS"], options);
}

interface ObjectName {
  readonly hsoname: string;
  readonly version: string | undefined;
  readonly others: readonly (readonly [name: string, value: string])[];
}

/** What the URL says of the object, decoded; one character a byte. */
function decodeObjectName(url: ProsperoUrl, options: MessageOptions): ObjectName {
  const decoded = (component: string, what: string): string =>
    bytesToLatin1(rejectControlBytes(percentDecode(component), what, options));
  const hsoname = decoded(url.hsoname, "hsoname");
  const fields = url.fields.map(
    ([name, value]) => [decoded(name, "name of a field"), decoded(value, "value of a field")] as const,
  );
  const version = fields.find(([name]) => name.toUpperCase() === VERSION_FIELD);
  return { hsoname, version: version?.[1], others: fields.filter((field) => field !== version) };
}

/**
 * The object id is written as the original clients write it: its two tokens, without a type. Before every other value stands
 * the type of a list of tokens, without which servers refuse most names.
 */
function formatSelection(name: string, value: string): string {
  if (name === "ID") return `ID ${value.split(" ").map(quote).join(" ")}`;
  return `${quote(name)} SEQUENCE ${quote(value)}`;
}

function buildRequest(command: readonly string[], options: MessageOptions): RequestMessage {
  const { user = "anonymous", software = "anyscheme" } = options;
  const token = (text: string, what: string): string =>
    quote(bytesToLatin1(rejectControlBytes(Buffer.from(text), what, options)));
  const lines = [
    `VERSION 5 ${token(software, "option software")}`,
    `AUTHENTICATE '' UNAUTHENTICATED ${token(user, "option user")}`,
    ...command,
  ];
  return {
    bytes: latin1ToBytes(lines.map((line) => `${line}\n`).join("")),
    text: textOf(command.join("; ")),
  };
}
