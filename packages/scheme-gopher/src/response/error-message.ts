import type { AccessErrorCode } from "@anyscheme/core";
import { bytesToLatin1, decodeBinaryStringToText, toSingleLine } from "@anyscheme/core/plugin";
import type { ParsedResponsePrefix } from "./response-body.ts";

/**
 * The maximum size of an error message of a Gopher server in bytes. A Gopher response above this size is not an error
 * message.
 */
const MAX_ERROR_BYTES = 4_096;

const NO_PREFIX_MATCH: ParsedResponsePrefix<null> = { value: null, length: 0 };

const ERROR_ITEM_HOST = "error.host";
const ERROR_ITEM_PORTS: ReadonlySet<string> = new Set(["0", "1"]);

/** The lines of an error message that Gophernicus sends in response to the request of a text. */
const GOPHERNICUS_ERROR_LINES: readonly RegExp[] = [
  /^Error: /,
  /^_+\r?$/,
  /^ *Gophered by Gophernicus/,
  /^(?:\.\r?)?$/,
  /^$/,
];

/** An error that a Gopher server sent in place of the requested item. */
export interface GopherErrorMessage {
  readonly accessErrorCode: AccessErrorCode;
  /** The error text of the server as a single line. */
  readonly message: string;
}

/**
 * Detects an error message that the server sent in place of the item. The result has the value `null` if the response
 * is the requested item and no error message. RFC 1436 §3.8 defines an error as a menu line of type 3 without a target.
 * Information lines may follow the line of type 3. Some Gopher servers send an error as a line of type 0 with the host
 * `error.host`. Gophernicus sends an error as a text with a signature.
 */
export function detectGopherError(
  bytes: Uint8Array,
  ended: boolean,
): ParsedResponsePrefix<GopherErrorMessage | null> | undefined {
  const text = bytesToLatin1(bytes.subarray(0, MAX_ERROR_BYTES));
  if (text === "") return ended ? NO_PREFIX_MATCH : undefined;
  if (!/^[03E]/.test(text)) return NO_PREFIX_MATCH;
  // The parser ignores bytes after the final dot, since these bytes may not have arrived yet.
  const dot = /\n\.\r?\n/.exec(text);
  if (!dot && bytes.length > MAX_ERROR_BYTES) return NO_PREFIX_MATCH;
  const message = dot ? text.slice(0, dot.index + dot[0].length) : text;
  const isComplete = ended || dot !== null;
  return text.startsWith("E")
    ? matchGophernicusError(message, isComplete)
    : matchErrorLine(message, isComplete);
}

function matchGophernicusError(
  text: string,
  isComplete: boolean,
): ParsedResponsePrefix<GopherErrorMessage | null> | undefined {
  const lines = text.split("\n");
  const whole = lines.slice(0, -1);
  const matches =
    lines.length <= GOPHERNICUS_ERROR_LINES.length &&
    whole.every((line, index) => GOPHERNICUS_ERROR_LINES[index]?.test(line));
  const [first = ""] = lines;
  if (!matches || !("Error: ".startsWith(first) || first.startsWith("Error: "))) return NO_PREFIX_MATCH;
  if (!isComplete) return undefined;
  if (whole.length < 3 || lines.at(-1) !== "") return NO_PREFIX_MATCH;
  return { value: createServerError(first.slice("Error: ".length)), length: text.length };
}

function matchErrorLine(
  text: string,
  isComplete: boolean,
): ParsedResponsePrefix<GopherErrorMessage | null> | undefined {
  const firstEnd = text.indexOf("\n");
  if (firstEnd < 0 && !isComplete) return undefined;
  const message = parseErrorLine(firstEnd < 0 ? text : text.slice(0, firstEnd));
  const others = firstEnd < 0 ? [] : text.slice(firstEnd + 1).split("\n");
  if (message === undefined || !others.every((line) => /^(?:i|\.?\r?$)/.test(line))) return NO_PREFIX_MATCH;
  return isComplete ? { value: createServerError(message), length: text.length } : undefined;
}

/** Returns the text of a menu line that reports an error, else `undefined`. */
function parseErrorLine(line: string): string | undefined {
  const [text = "", , host, port = ""] = line.replace(/\r$/, "").split("\t");
  if (host === undefined) return undefined;
  const hasNoTarget = host === ERROR_ITEM_HOST || (text.startsWith("3") && ERROR_ITEM_PORTS.has(port));
  return hasNoTarget ? text.slice(1) : undefined;
}

/**
 * Creates the error for an error text that a Gopher server sent. Gopher has no error codes, and nearly all error texts
 * mean that the item does not exist.
 */
function createServerError(text: string): GopherErrorMessage {
  const accessErrorCode = /(?:access|permission) denied|forbidden/i.test(text)
    ? "permission-denied"
    : "not-found";
  return { accessErrorCode, message: toSingleLine(decodeBinaryStringToText(text)) };
}
