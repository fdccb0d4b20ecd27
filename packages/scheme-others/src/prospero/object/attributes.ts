import { latin1ToBytes, createUtcDate } from "@anyscheme/core/plugin";
import { type CharacterClass, percentEncode, isHost, extendUchar, xchar } from "@anyscheme/core/syntax";
import {
  type ProsperoAttribute,
  type ProsperoObjectLocation,
  parseObjectLocation,
} from "../protocol/reply-line.ts";

/** An access method of a Prospero object (RFC 1738 §3.11). */
export interface ProsperoAccessMethod {
  /** The server's name of the access method, such as `AFTP`, `GOPHER` or `PROSPERO-CONTENTS`. */
  readonly name: string;
  /** The URL that is equivalent to the access method, or `undefined` if no URL is equivalent. */
  readonly url: string | undefined;
}

/** The access method for contents that the Prospero server itself sends. */
export const CONTENTS_ACCESS_METHOD = "PROSPERO-CONTENTS";

// fpath = fsegment *[ "/" fsegment ], fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const FTP_PATH_CHARACTERS: CharacterClass = extendUchar("?:@&=/");

/** Maps the last token of an access method to a typecode of RFC 1738 §3.2.2. */
const FTP_TYPECODES: Readonly<Record<string, string>> = { BINARY: ";type=i", TEXT: ";type=a" };

/**
 * Maps the name of an access method to the function that builds its URL. `WAIS` is absent, because no document relates
 * its locators to the paths of RFC 1738 §3.9.
 */
const URL_BUILDERS_BY_METHOD: ReadonlyMap<
  string,
  (place: ProsperoObjectLocation, hostport: string, extra: string | undefined) => string
> = new Map([
  // The path in an access method AFTP is relative to the root of anonymous FTP, so its first "/" is omitted.
  ["AFTP", ({ hsoname }, at, extra) => `ftp://${at}/${encodeFtpPath(hsoname.replace(/^\//, ""), extra)}`],
  // RFC 1738 §3.2.2: "%2F" begins an absolute path in an ftp URL.
  ["FTP", ({ hsoname }, at, extra) => `ftp://${at}/${encodeFtpPath(hsoname, extra).replace(/^\//, "%2F")}`],
  ["GOPHER", ({ hsoname }, at, extra) => `gopher://${at}/${encodeGopherPath(hsoname, extra)}`],
  ["TELNET", (_, at) => `telnet://${at}/`],
  ["TN3270", (_, at) => `tn3270://${at}/`],
]);

/**
 * Returns the access methods among the attributes of a Prospero object, in the server's order. An empty field of an
 * access method has the value of the same field in the link.
 */
export function parseAccessMethods(
  attributes: readonly ProsperoAttribute[],
  link: ProsperoObjectLocation,
): ProsperoAccessMethod[] {
  return attributes
    .filter(({ name, values }) => name === "ACCESS-METHOD" && values.length > 0)
    .map(({ values: [name = "", ...fields] }) => ({ name, url: buildAccessMethodUrl(name, fields, link) }));
}

function buildAccessMethodUrl(
  name: string,
  fields: readonly string[],
  link: ProsperoObjectLocation,
): string | undefined {
  const own = parseObjectLocation(fields, 0);
  if (!own) return undefined;
  const place: ProsperoObjectLocation = {
    hostType: own.hostType || link.hostType,
    host: own.host || link.host,
    // The port of the link belongs to the Prospero server, so it is not a default for other protocols.
    port: own.port,
    nameType: own.nameType || link.nameType,
    hsoname: own.hsoname || link.hsoname,
  };
  if (place.hostType !== "INTERNET-D" || place.nameType !== "ASCII" || !isHost(place.host)) return undefined;
  const hostport = place.port === undefined ? place.host : `${place.host}:${place.port}`;
  return URL_BUILDERS_BY_METHOD.get(name)?.(place, hostport, fields[4]);
}

function encodeFtpPath(path: string, extra = ""): string {
  const typecode = Object.hasOwn(FTP_TYPECODES, extra) ? FTP_TYPECODES[extra] : "";
  return percentEncode(latin1ToBytes(path), FTP_PATH_CHARACTERS) + typecode;
}

/**
 * Returns the path of the gopher URL that is equivalent to a Prospero access method. The gopher item type is the sixth
 * token of the access method, or else the first character of the selector.
 */
function encodeGopherPath(selector: string, extra = ""): string {
  return percentEncode(latin1ToBytes((extra || selector).slice(0, 1) + selector), xchar);
}

/** The size, modification time and type that the attributes of a Prospero object state. */
export interface ProsperoObjectStat {
  /** The size of the Prospero object in bytes. */
  readonly size: number | undefined;
  readonly modified: Date | undefined;
  /** True when the attribute UNIX-MODES marks the object as a directory. */
  readonly isDirectory: boolean;
}

/**
 * Parses the size, modification time and type of a Prospero object from its attributes. Only the first of several
 * Prospero attributes with the same name is used.
 */
export function parseObjectStat(attributes: readonly ProsperoAttribute[]): ProsperoObjectStat {
  const valueOf = (name: string): string =>
    attributes.find((attribute) => attribute.name === name)?.values[0] ?? "";
  // Matches a size such as "81000 bytes".
  const [, digits] = /^(\d{1,15})(?: bytes)?$/.exec(valueOf("SIZE")) ?? [];
  return {
    size: digits === undefined ? undefined : Number(digits),
    modified: parseProsperoTimestamp(valueOf("LAST-MODIFIED")),
    isDirectory: valueOf("UNIX-MODES").startsWith("d"),
  };
}

/** Returns the object id as a value of the field `ID`, such as `REMOTE 4242`. */
export function findProsperoObjectId(attributes: readonly ProsperoAttribute[]): string | undefined {
  const id = attributes.find(({ name, values }) => name === "ID" && values.length > 0);
  return id?.values.join(" ");
}

/** Parses a time in a Prospero attribute, such as `20261120204018Z`. */
function parseProsperoTimestamp(text: string): Date | undefined {
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text)?.slice(1) ?? [];
  const [year = 0, month = 0, day = 0, ...time] = digits.map(Number);
  return createUtcDate(year, month, day, ...time);
}
