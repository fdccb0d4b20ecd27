import { AccessError, type AccessErrorCode } from "@anyscheme/core";
import { decodeBinaryStringToText, createMaskableServerText, toSingleLine } from "@anyscheme/core/plugin";
import { isQuoteOpen, decodeProsperoServerText, splitAndUnquoteTokens } from "./logical-lines.ts";

/**
 * The host and name of a Prospero object. Strings of Prospero locations, links and attributes have one character per
 * byte.
 */
export interface ProsperoObjectLocation {
  /** The type of the host of a Prospero object: `INTERNET-D` or `VIRTUAL-SYSTEM`. */
  readonly hostType: string;
  readonly host: string;
  /** The port, which a Prospero reply line contains in parentheses after the host. */
  readonly port: number | undefined;
  readonly nameType: string;
  readonly hsoname: string;
}

export interface ProsperoLink {
  readonly kind: "link";
  /** True for a Prospero union link: the entries of its target directory count as entries of this directory. */
  readonly isUnion: boolean;
  /**
   * The type of the Prospero link's target: `FILE`, `DIRECTORY`, `DIRECTORY+FILE`, `OBJECT`, `EXTERNAL`, `SYMBOLIC`,
   * `FP` or `NULL`.
   */
  readonly targetType: string;
  readonly name: string;
  readonly location: ProsperoObjectLocation;
  readonly version: string;
  /** The reason why the line of the link is invalid, or why the directory of a union link could not be read. */
  readonly fault?: string | undefined;
}

export interface ProsperoAttribute {
  readonly kind: "attribute";
  readonly name: string;
  readonly values: readonly string[];
}

/** The components of the requested object name that the Prospero server did not resolve. */
interface ProsperoUnresolvedName {
  readonly kind: "unresolved";
  readonly components: readonly string[];
}

/** The location to which the Prospero server forwards a request. */
interface ProsperoForward {
  readonly kind: "forwarded";
  readonly location: ProsperoObjectLocation;
  readonly version: string;
}

interface ProsperoFailure {
  readonly kind: "failure";
  /** The code of the Prospero failure, such as `NOT-FOUND`, or the first token of another failure line. */
  readonly code: string;
  readonly text: string;
}

interface ProsperoWarning {
  readonly kind: "warning";
  readonly code: string;
  readonly text: string;
}

/** A parsed line of a Prospero reply. */
export type ProsperoReplyLine =
  | ProsperoLink
  | ProsperoAttribute
  | ProsperoUnresolvedName
  | ProsperoForward
  | ProsperoFailure
  | ProsperoWarning
  | { readonly kind: "none-found" | "success" | "remark" };

const IGNORED_REPLY_LINE: ProsperoReplyLine = { kind: "remark" };

/**
 * The tokens that name the type of a value in an attribute line of a Prospero reply. Servers omit the type of the value
 * for attributes of the nature FIELD.
 */
const ATTRIBUTE_VALUE_TYPES: ReadonlySet<string> = new Set(["SEQUENCE", "LINK", "FILTER"]);

type ReplyLineParser = (tokens: readonly string[], line: string) => ProsperoReplyLine;

const parseFailureLine: ReplyLineParser = (tokens, line) => {
  const [first = "", second = ""] = tokens;
  return {
    kind: "failure",
    code: first === "FAILURE" ? second : first,
    text: getTextAfterFirstToken(tokens, line),
  };
};

const parseWarningLine: ReplyLineParser = (tokens, line) => ({
  kind: "warning",
  code: tokens[1] ?? "",
  text: getTextAfterFirstToken(tokens, line),
});

/**
 * Returns the text after the first token of a Prospero reply line, unquoted. The original Prospero server writes some
 * texts without quotes but with apostrophes.
 */
function getTextAfterFirstToken([first = "", ...others]: readonly string[], line: string): string {
  const text = isQuoteOpen(line) ? line.slice(line.indexOf(first) + first.length) : others.join(" ");
  return toSingleLine(decodeBinaryStringToText(text));
}

/**
 * Maps the first token of a Prospero reply line to the parser of the line. Prospero reply lines with any other first
 * token are remarks.
 */
const REPLY_LINE_PARSERS: ReadonlyMap<string, ReplyLineParser> = new Map<string, ReplyLineParser>([
  ["LINK", parseLinkLine],
  ["ATTRIBUTE", parseAttributeLine],
  ["ID", ([, ...values]) => ({ kind: "attribute", name: "ID", values })],
  ["UNRESOLVED", ([, ...components]) => ({ kind: "unresolved", components })],
  ["FORWARDED", parseForwardedLine],
  ["NONE-FOUND", () => ({ kind: "none-found" })],
  ["SUCCESS", () => ({ kind: "success" })],
  ["FAILURE", parseFailureLine],
  ["ERROR", parseFailureLine],
  ["VERSION-NOT-SUPPORTED", parseFailureLine],
  ["WARNING", parseWarningLine],
]);

/**
 * True for a line of a Prospero reply that begins like an attribute. Most lines of a Prospero listing are attributes,
 * which the entries parse at the first access.
 */
export function isProsperoAttributeLine(line: string): boolean {
  return line.startsWith("ATTRIBUTE ") || line.startsWith("ID ");
}

/**
 * Parses a logical line of a Prospero reply. Throws `protocol` for missing fields of a Prospero reply line, except in a
 * link, which has a `fault` instead.
 */
export function parseProsperoReplyLine(line: string): ProsperoReplyLine {
  const tokens = splitAndUnquoteTokens(line);
  return REPLY_LINE_PARSERS.get(tokens[0] ?? "")?.(tokens, line) ?? IGNORED_REPLY_LINE;
}

const EMPTY_OBJECT_LOCATION: ProsperoObjectLocation = {
  hostType: "",
  host: "",
  port: undefined,
  nameType: "",
  hsoname: "",
};

function parseLinkLine(tokens: readonly string[], line: string): ProsperoReplyLine {
  const [, type = "", targetType = "", name] = tokens;
  const place = parseObjectLocation(tokens, 4);
  const link = { kind: "link", targetType, name: name ?? line, version: tokens[8] ?? "0" } as const;
  if (place && (type === "L" || type === "U")) return { ...link, isUnion: type === "U", location: place };
  const fault = place ? "the type of the link is unknown" : "the line has no host and object name";
  return { ...link, isUnion: false, location: EMPTY_OBJECT_LOCATION, fault };
}

function parseAttributeLine(tokens: readonly string[], line: string): ProsperoReplyLine {
  const [, , , name] = tokens;
  if (name === undefined) throw createMalformedLineError(line);
  const values = tokens.slice(ATTRIBUTE_VALUE_TYPES.has(tokens[4] ?? "") ? 5 : 4);
  return { kind: "attribute", name, values };
}

function parseForwardedLine(tokens: readonly string[], line: string): ProsperoReplyLine {
  const place = parseObjectLocation(tokens, 1);
  if (!place) throw createMalformedLineError(line);
  return { kind: "forwarded", location: place, version: tokens[5] ?? "0" };
}

/**
 * Parses the host type, host with port, name type and name in the tokens from the index `at` on. A host without a port
 * in parentheses has the default port of the protocol.
 */
export function parseObjectLocation(
  tokens: readonly string[],
  at: number,
): ProsperoObjectLocation | undefined {
  const hostType = tokens[at];
  const text = tokens[at + 1];
  const nameType = tokens[at + 2];
  const hsoname = tokens[at + 3];
  if (hostType === undefined || text === undefined || nameType === undefined || hsoname === undefined)
    return undefined;
  const open = text.endsWith(")") ? text.lastIndexOf("(") : -1;
  const digits = open < 0 ? "" : text.slice(open + 1, -1);
  if (!/^\d{1,5}$/.test(digits)) return { hostType, host: text, port: undefined, nameType, hsoname };
  return { hostType, host: text.slice(0, open), port: Number(digits), nameType, hsoname };
}

function createMalformedLineError(line: string): AccessError {
  return new AccessError("protocol", [
    "the server sent a line without required fields: ",
    decodeProsperoServerText(splitAndUnquoteTokens(line).join(" ").slice(0, 200)),
  ]);
}

/** Maps the code of a `FAILURE` line, or the first token of another failure line, to an error code. */
export const PROSPERO_ERRORS_BY_FAILURE_CODE: Readonly<Record<string, AccessErrorCode>> = {
  "NOT-FOUND": "not-found",
  "NOT-A-DIRECTORY": "not-found",
  AMBIGUOUS: "not-found",
  "NOT-AUTHORIZED": "permission-denied",
  "AUTHENTICATION-DATA": "permission-denied",
  "AUTHENTICATION-REQUIRED": "authentication-required",
  "SERVER-FAILED": "unavailable",
  "TOO-MANY": "unavailable",
  UNIMPLEMENTED: "unsupported",
  "OUT-OF-DATE": "unsupported",
  "VERSION-NOT-SUPPORTED": "unsupported",
  "ALREADY-EXISTS": "protocol",
  "NAME-CONFLICT": "protocol",
  "BAD-VALUE": "protocol",
  "FILTER-APPLICATION": "protocol",
  ERROR: "protocol",
};

/** Creates the error for a failure line of a Prospero reply, with the server's text. */
export function createProsperoFailureError({
  code,
  text,
}: Pick<ProsperoFailure, "code" | "text">): AccessError {
  const known = Object.hasOwn(PROSPERO_ERRORS_BY_FAILURE_CODE, code)
    ? PROSPERO_ERRORS_BY_FAILURE_CODE[code]
    : undefined;
  const words = text === "" ? decodeProsperoServerText(code) : createMaskableServerText(text);
  return new AccessError(known ?? "protocol", ["the server refuses: ", words]);
}
