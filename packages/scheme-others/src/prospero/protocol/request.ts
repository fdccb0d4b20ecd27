import {
  bytesToLatin1,
  latin1ToBytes,
  decodeBinaryStringToText,
  type PlanOptions,
  rejectControlBytes,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { ProsperoOptions } from "../scheme-options.ts";
import { quoteToken } from "./logical-lines.ts";
import type { ProsperoUrl } from "../syntax.ts";

/** A request to a Prospero server, and its description in a plan. */
export interface ProsperoRequestMessage {
  readonly bytes: Uint8Array;
  /** The text of the Prospero command, which is in the last lines of the request message. */
  readonly text: string;
}

type ProsperoMessageOptions = PlanOptions & ProsperoOptions;

/**
 * The name of the URL field that is an argument of every command (RFC 1738 §3.11): the version of the object. All other
 * fields of a prospero URL select an object by its attributes.
 */
const VERSION_FIELD_NAME = "OBJECT-VERSION";
/** The version number with which a Prospero client requests the only or the latest version of an object. */
const ANY_OBJECT_VERSION = "0";

/**
 * Encodes a request for attributes of a Prospero object. Throws `refused-characters` for control characters in the
 * prospero URL or an option.
 */
export function encodeObjectInfoRequest(
  url: ProsperoUrl,
  attributes: string,
  options: ProsperoMessageOptions,
): ProsperoRequestMessage {
  const { hsoname, version, otherFields } = decodeObjectName(url, options);
  const selections = otherFields.map(
    ([name, value]) => `SELECT OBJECT FIELD ${formatFieldSelection(name, value)}`,
  );
  const info = `GET-OBJECT-INFO ${attributes} ASCII ${quoteToken(hsoname)} ${quoteToken(version ?? ANY_OBJECT_VERSION)}`;
  return buildRequestMessage([info, ...selections], options);
}

/**
 * Encodes a request for the links of a Prospero directory. Throws `refused-characters` for control characters in the
 * prospero URL or an option.
 */
export function encodeListRequest(url: ProsperoUrl, options: ProsperoMessageOptions): ProsperoRequestMessage {
  const { hsoname, version } = decodeObjectName(url, options);
  const directory = `DIRECTORY ASCII ${quoteToken(hsoname)}${version === undefined ? "" : ` ${quoteToken(version)}`}`;
  return buildRequestMessage([directory, "LIST ATTRIBUTES COMPONENTS"], options);
}

interface ProsperoObjectName {
  readonly hsoname: string;
  readonly version: string | undefined;
  readonly otherFields: readonly (readonly [name: string, value: string])[];
}

/** Decodes the components of a prospero URL to one character per byte. */
function decodeObjectName(url: ProsperoUrl, options: ProsperoMessageOptions): ProsperoObjectName {
  const decoded = (component: string, what: string): string =>
    bytesToLatin1(rejectControlBytes(percentDecode(component), what, options));
  const hsoname = decoded(url.hsoname, "hsoname");
  const fields = url.fields.map(
    ([name, value]) => [decoded(name, "name of a field"), decoded(value, "value of a field")] as const,
  );
  const version = fields.find(([name]) => name.toUpperCase() === VERSION_FIELD_NAME);
  return { hsoname, version: version?.[1], otherFields: fields.filter((field) => field !== version) };
}

/**
 * Formats a selection. The selection of a Prospero object by its id consists of two tokens without a type, as in the
 * original clients. A selection by another field has the type SEQUENCE, without which Prospero servers reject most
 * names.
 */
function formatFieldSelection(name: string, value: string): string {
  if (name === "ID") return `ID ${value.split(" ").map(quoteToken).join(" ")}`;
  return `${quoteToken(name)} SEQUENCE ${quoteToken(value)}`;
}

function buildRequestMessage(
  command: readonly string[],
  options: ProsperoMessageOptions,
): ProsperoRequestMessage {
  const { user = "anonymous", software = "anyscheme" } = options;
  const token = (text: string, what: string): string =>
    quoteToken(bytesToLatin1(rejectControlBytes(Buffer.from(text), what, options)));
  const lines = [
    `VERSION 5 ${token(software, "option software")}`,
    `AUTHENTICATE '' UNAUTHENTICATED ${token(user, "option user")}`,
    ...command,
  ];
  return {
    bytes: latin1ToBytes(lines.map((line) => `${line}\n`).join("")),
    text: decodeBinaryStringToText(command.join("; ")),
  };
}
