import type { PrefixMatch } from "../response/peek.ts";
import { bytesToLatin1 } from "@anyscheme/core/plugin";
import type { ItemFormat } from "../url/item-types.ts";

/**
 * The end of a Gopher+ body. A body ends after a number of bytes, at a line with a single dot, or with the
 * connection.
 */
export type BodyEnd = number | "dot" | "close";

/** The first line of a Gopher+ error reply. `message` is the text in the header line. */
export interface ErrorHeader {
  readonly sign: "-";
  readonly end: "dot" | "close";
  readonly message: string;
}

/** The first line of a Gopher+ reply. */
export type ReplyHeader = { readonly sign: "+"; readonly end: BodyEnd } | ErrorHeader;

/** The size of the longest header. A longer line is not a header. */
const MAX_HEADER_BYTES = 1_024;

/** The size of the longest line of an error message. A longer line is not part of an error message. */
const MAX_ERROR_LINE_BYTES = 1_024;

const MINUS = 0x2d;
const NO_MATCH: PrefixMatch<null> = { value: null, length: 0 };

/** Matches `+<bytes>`, `+-1` and `+-2`. */
const DATA_HEADER = /^\+(\d{1,15}|-1|-2)\r?\n/;
/** Matches `--1`, `--2`, and the nonstandard form `-<code> <text>`. */
const ERROR_HEADER = /^-(-?\d[^\r\n]*)\r?\n/;
/** Matches an incomplete header. */
const PARTIAL_HEADER = /^(?:\+-?\d*\r?|-(?:-?(?:\d[^\r\n]*\r?)?)?)$/;

/** Matches the line after `--1`: a code and the administrator. Gopher+, section 2.3. */
const CODE_LINE = /^\d+(?: [^\t]*)?\r?$/;
/** Matches a code line with a mail address, as sent by all tested servers. */
const CODE_LINE_WITH_ADDRESS = /^\d+ .*<[^<>]*>\r?$/;
/** Matches the optional final dot after `-1 <text>`. */
const FINAL_DOT = /^(?:\.?\r?\n?)$/;

/**
 * Parses the header of a reply to a Gopher+ request. The value is `null` for a response without a header. Such a
 * response contains the item, because the server does not support Gopher+.
 */
export function parseReplyHeader(
  bytes: Uint8Array,
  ended: boolean,
): PrefixMatch<ReplyHeader | null> | undefined {
  const text = bytesToLatin1(bytes.subarray(0, MAX_HEADER_BYTES));
  const [data, size] = DATA_HEADER.exec(text) ?? [];
  if (data !== undefined) return { value: { sign: "+", end: parseBodyEnd(size) }, length: data.length };
  const [error, rest = ""] = ERROR_HEADER.exec(text) ?? [];
  if (error !== undefined) {
    const [, end, message = ""] = /^(-[12](?= |$))?(.*)$/.exec(rest) ?? [];
    return { value: { sign: "-", end: end === "-1" ? "dot" : "close", message }, length: error.length };
  }
  const isPartial = bytes.length < MAX_HEADER_BYTES && (bytes.length === 0 || PARTIAL_HEADER.test(text));
  return !ended && isPartial ? undefined : NO_MATCH;
}

function parseBodyEnd(size: string | undefined): BodyEnd {
  if (size === "-1") return "dot";
  return size === "-2" ? "close" : Number(size);
}

/**
 * Parses the header of a Gopher+ error in the response to a plain Gopher request. UMN's gopherd sends such errors.
 * The value is `null` for the item itself. No menu line matches this header. The line after the header in a text or
 * file must match an error, too.
 */
export function parseErrorHeader(
  bytes: Uint8Array,
  ended: boolean,
  format: ItemFormat,
): PrefixMatch<ErrorHeader | null> | undefined {
  if (bytes.length === 0) return ended ? NO_MATCH : undefined;
  if (bytes[0] !== MINUS) return NO_MATCH;
  const match = parseReplyHeader(bytes, ended);
  const header = match?.value;
  if (!match) return undefined;
  if (header?.sign !== "-") return NO_MATCH;
  const rest = bytesToLatin1(bytes.subarray(match.length, match.length + MAX_ERROR_LINE_BYTES));
  const found: PrefixMatch<ErrorHeader> = { value: header, length: match.length };
  if (header.message !== "") return format === "menu" ? matchErrorWithoutBody(rest, ended, found) : NO_MATCH;
  const end = rest.indexOf("\n");
  if (end < 0 && !ended && rest.length < MAX_ERROR_LINE_BYTES) return undefined;
  const line = end < 0 ? rest : rest.slice(0, end);
  if (format === "menu") return line === "" || CODE_LINE.test(line) ? found : NO_MATCH;
  return end >= 0 && CODE_LINE_WITH_ADDRESS.test(line) ? found : NO_MATCH;
}

/** Accepts a header with a message as an error when only the final dot follows it. */
function matchErrorWithoutBody(
  rest: string,
  ended: boolean,
  found: PrefixMatch<ErrorHeader>,
): PrefixMatch<ErrorHeader | null> | undefined {
  if (!FINAL_DOT.test(rest) || found.value.message.includes("\t")) return NO_MATCH;
  return ended || rest.endsWith("\n") ? found : undefined;
}
