import { AccessError, type AccessErrorCode, type CoreLimits } from "@anyscheme/core";
import {
  bytesToLatin1,
  type ByteSource,
  decodeBinaryStringToText,
  createMaskableServerText,
  toSingleLine,
} from "@anyscheme/core/plugin";
import type { GopherItemFormat } from "../item-types.ts";
import type { ParsedResponsePrefix } from "../response/response-body.ts";

/** The end of a Gopher+ body: a number of bytes, a line with a single dot, or the close of the connection. */
export type GopherPlusBodyEnd = number | "dot" | "close";

/**
 * The first line of a Gopher+ error reply. The property `message` is the text in the error's first line after the "-"
 * and a length such as `-1`.
 */
export interface GopherPlusErrorHeader {
  readonly status: "-";
  readonly bodyEnd: GopherPlusBodyEnd;
  readonly message: string;
}

/** The first line of a Gopher+ reply. */
export type GopherPlusHeader =
  { readonly status: "+"; readonly bodyEnd: GopherPlusBodyEnd } | GopherPlusErrorHeader;

/** The maximum size of a Gopher+ header in bytes. A longer line is not a Gopher+ header. */
const MAX_HEADER_BYTES = 1_024;

/**
 * The maximum size of a line of an error message in bytes. A line above this limit is not part of a Gopher+ error
 * message.
 */
const MAX_ERROR_LINE_BYTES = 1_024;

const MINUS_BYTE = 0x2d;
const NO_PREFIX_MATCH: ParsedResponsePrefix<null> = { value: null, length: 0 };

/** Matches the header of a successful Gopher+ reply: `+<bytes>`, `+-1` or `+-2`. */
const GOPHER_PLUS_DATA_HEADER = /^\+(\d{1,15}|-1|-2)\r?\n/;
/** Matches the header of a Gopher+ error: `-<bytes>`, `--1`, `--2`, or the nonstandard form `-<code> <text>`. */
const GOPHER_PLUS_ERROR_HEADER = /^-(-?\d[^\r\n]*)\r?\n/;
/** Matches the received part of a Gopher+ header that is incomplete. */
const INCOMPLETE_GOPHER_PLUS_HEADER = /^(?:\+-?\d*\r?|-(?:-?(?:\d[^\r\n]*\r?)?)?)$/;

/** Matches the line after an error header without a text: an error code and the administrator. Gopher+, section 2.3. */
const ERROR_CODE_LINE = /^\d+(?: [^\t]*)?\r?$/;
/** Matches an error code and an administrator with a mail address, as sent by all tested servers. */
const ERROR_CODE_LINE_WITH_ADDRESS = /^\d+ .*<[^<>]*>\r?$/;
/** Matches the line after an error header such as `-1 <text>`: an empty line or the final dot. */
const EMPTY_OR_FINAL_DOT_LINE = /^\.?\r?$/;

/**
 * Parses the header of a reply to a Gopher+ request. The parsed value is `null` for a response without a Gopher+
 * header, because a server without Gopher+ sends only the item.
 */
export function parseGopherPlusHeader(
  bytes: Uint8Array,
  ended: boolean,
): ParsedResponsePrefix<GopherPlusHeader | null> | undefined {
  const text = bytesToLatin1(bytes.subarray(0, MAX_HEADER_BYTES));
  const [data, size] = GOPHER_PLUS_DATA_HEADER.exec(text) ?? [];
  if (data !== undefined) return { value: { status: "+", bodyEnd: parseBodyEnd(size) }, length: data.length };
  const [error, rest = ""] = GOPHER_PLUS_ERROR_HEADER.exec(text) ?? [];
  if (error !== undefined) {
    const [, end, message = ""] = /^(-[12](?= |$))?(.*)$/.exec(rest) ?? [];
    if (/^\d{1,15}$/.test(message)) {
      const [line = "", ...following] = text.slice(error.length).split("\n", 2);
      if (!ended && following.length === 0 && bytes.length < MAX_HEADER_BYTES) return undefined;
      // Some servers send the error code in place of the length. The error code is smaller than the length of the line
      // after the header.
      if (ERROR_CODE_LINE.test(line) && Number(message) >= line.length)
        return { value: { status: "-", bodyEnd: Number(message), message: "" }, length: error.length };
    }
    return { value: { status: "-", bodyEnd: end === "-1" ? "dot" : "close", message }, length: error.length };
  }
  const isPartial =
    bytes.length < MAX_HEADER_BYTES && (bytes.length === 0 || INCOMPLETE_GOPHER_PLUS_HEADER.test(text));
  return !ended && isPartial ? undefined : NO_PREFIX_MATCH;
}

function parseBodyEnd(size: string | undefined): GopherPlusBodyEnd {
  if (size === "-1") return "dot";
  return size === "-2" ? "close" : Number(size);
}

/**
 * Parses the header of a Gopher+ error in the response to a plain Gopher request. The gopherd of the University of
 * Minnesota sends such errors. The parsed value is `null` for a Gopher response that contains the item and no error. A
 * menu line never looks like a Gopher+ error header. The response for a text or a binary file is an error only if the
 * line after the header also looks like an error.
 */
export function parseGopherPlusErrorInPlainResponse(
  bytes: Uint8Array,
  ended: boolean,
  format: GopherItemFormat,
): ParsedResponsePrefix<GopherPlusErrorHeader | null> | undefined {
  if (bytes.length === 0) return ended ? NO_PREFIX_MATCH : undefined;
  if (bytes[0] !== MINUS_BYTE) return NO_PREFIX_MATCH;
  const match = parseGopherPlusHeader(bytes, ended);
  const header = match?.value;
  if (!match) return undefined;
  if (header?.status !== "-") return NO_PREFIX_MATCH;
  const rest = bytesToLatin1(bytes.subarray(match.length, match.length + MAX_ERROR_LINE_BYTES));
  const found: ParsedResponsePrefix<GopherPlusErrorHeader> = { value: header, length: match.length };
  if (header.message !== "")
    return format === "menu" ? matchErrorHeaderWithoutBody(rest, ended, found) : NO_PREFIX_MATCH;
  const end = rest.indexOf("\n");
  if (end < 0 && !ended && rest.length < MAX_ERROR_LINE_BYTES) return undefined;
  const line = end < 0 ? rest : rest.slice(0, end);
  if (format === "menu") return line === "" || ERROR_CODE_LINE.test(line) ? found : NO_PREFIX_MATCH;
  return end >= 0 && ERROR_CODE_LINE_WITH_ADDRESS.test(line) ? found : NO_PREFIX_MATCH;
}

/** Accepts an error header with a message only if the next line is empty or the final dot, or if nothing follows. */
function matchErrorHeaderWithoutBody(
  rest: string,
  ended: boolean,
  found: ParsedResponsePrefix<GopherPlusErrorHeader>,
): ParsedResponsePrefix<GopherPlusErrorHeader | null> | undefined {
  // To recognize an error, the parser waits for the whole line after the header, so that the sizes of the received
  // chunks do not matter.
  const [line = "", ...following] = rest.split("\n", 2);
  if (!EMPTY_OR_FINAL_DOT_LINE.test(line) || found.value.message.includes("\t")) return NO_PREFIX_MATCH;
  return ended || following.length > 0 ? found : undefined;
}

/** The codes of an `AccessError` for the three error codes of Gopher+, section 2.3. */
const ACCESS_CODE_BY_GOPHER_ERROR: Readonly<Record<string, AccessErrorCode>> = {
  "1": "not-found",
  "2": "unavailable",
  "3": "not-found",
};

/**
 * Reads a Gopher+ error reply and returns its error. The first line of the body contains the code and the
 * administrator, and the next lines contain the reason. `message` is the text in the first line of the Gopher+ error
 * reply. A `message` that is not empty is read as the first line, before the body.
 */
export async function readGopherPlusError(
  source: ByteSource,
  message: string,
  limits: CoreLimits,
): Promise<AccessError> {
  const body = await readLatin1Text(source, limits.maxReplyBytes);
  const all = (message === "" ? body : `${message}\n${body}`).split(/\r?\n/);
  // Some servers send a final dot although the header announces that the connection will close.
  const lines = all.includes(".") ? all.slice(0, all.indexOf(".")) : all;
  const [, code = "", administrator = ""] = /^\s*(\d*)(.*)$/s.exec(lines[0] ?? "") ?? [];
  const toText = (latin1: string): string => toSingleLine(decodeBinaryStringToText(latin1));
  const reason = toText(lines.slice(1).join(" ")) || toText(administrator) || "no reason given";
  const accessCode = ACCESS_CODE_BY_GOPHER_ERROR[code] ?? "unavailable";
  // The code 2 means "Try again later" (Gopher+ §2.3).
  const init = { isTemporary: code === "2" };
  return new AccessError(accessCode, ["the server refuses: ", createMaskableServerText(reason)], init);
}

/** Reads at most `maxBytes` bytes of a Gopher+ error. Returns a string of one character per byte. */
async function readLatin1Text(source: ByteSource, maxBytes: number): Promise<string> {
  let text = "";
  const onChunk = (bytes: Uint8Array): boolean => {
    text += bytesToLatin1(bytes.subarray(0, maxBytes - text.length));
    return text.length < maxBytes;
  };
  // Some servers reset the connection while they send an error. The client still reports the received part of the
  // error.
  await source.readChunks(onChunk).catch(() => undefined);
  return text;
}
