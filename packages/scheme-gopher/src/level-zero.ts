import type { AccessCode } from "@anyscheme/core";
import { bytesToLatin1, latin1ToBytes, wordsOf } from "./charset.ts";
import type { Verdict } from "./beginning.ts";

/** An answer that is longer is no error message. */
const MAX_ERROR_BYTES = 4_096;

const TAB = 0x09;
const LF = 0x0a;

const NO: Verdict<null> = { value: null, length: 0 };

/** Hosts and ports that stand in the lines of a menu where no item is. */
const NOWHERE_HOST = "error.host";
const NOWHERE_PORTS: ReadonlySet<string> = new Set(["0", "1"]);

/** What a server says instead of giving an item. */
export interface Refusal {
  readonly code: AccessCode;
  /** Its own words, on one line. */
  readonly words: string;
}

/**
 * Whether an answer without a head is nothing but an error message, which RFC 1436 §3.8 sends as a menu line of type 3 whatever
 * was asked for; `null` when it is the item itself. One line of three tabs that leads nowhere, perhaps followed by information
 * lines; some servers give it the type 0 and the host `error.host`. Or the text of a server that signs such messages.
 */
export function judgeErrorMessage(bytes: Uint8Array, ended: boolean): Verdict<Refusal | null> | undefined {
  if (bytes.length === 0) return ended ? NO : undefined;
  const begins = bytes[0];
  if (begins !== 0x33 && begins !== 0x30 && begins !== 0x45) return NO;
  if (begins !== 0x45 && !mayBeErrorLine(bytes)) return NO;
  const text = bytesToLatin1(bytes.subarray(0, MAX_ERROR_BYTES));
  // Nothing behind the line of one dot counts: whether it has come already depends on the pieces.
  const dot = /\n\.\r?\n/.exec(text);
  if (!dot && bytes.length > MAX_ERROR_BYTES) return NO;
  const message = dot ? text.slice(0, dot.index + dot[0].length) : text;
  const complete = ended || dot !== null;
  return begins === 0x45 ? judgeSigned(message, complete) : judgeLine(message, complete);
}

/** Whether the first line, as far as it has come, may be one of an error; nearly every text is told from it by this line. */
function mayBeErrorLine(bytes: Uint8Array): boolean {
  const end = bytes.indexOf(LF);
  if (end < 0) return true;
  const line = bytes.subarray(0, end);
  return line.includes(TAB) && errorWords(bytesToLatin1(line)) !== undefined;
}

/** A server that answers a request for a text with a text in any case: `Error: …`, a rule, and its name. */
const SIGNED: readonly RegExp[] = [/^Error: /, /^_+\r?$/, /^ *Gophered by Gophernicus/, /^(?:\.\r?)?$/, /^$/];

function judgeSigned(text: string, complete: boolean): Verdict<Refusal | null> | undefined {
  const lines = text.split("\n");
  const whole = lines.slice(0, -1);
  const fits = lines.length <= SIGNED.length && whole.every((line, index) => SIGNED[index]?.test(line));
  const [first = ""] = lines;
  if (!fits || !("Error: ".startsWith(first) || first.startsWith("Error: "))) return NO;
  if (!complete) return undefined;
  if (whole.length < 3 || lines.at(-1) !== "") return NO;
  return { value: refusalOf(first.slice("Error: ".length)), length: text.length };
}

function judgeLine(text: string, complete: boolean): Verdict<Refusal | null> | undefined {
  const [first = "", ...others] = text.split(/\r?\n/);
  if (others.length === 0 && !complete) return undefined;
  const words = errorWords(first);
  if (words === undefined || !others.every((line) => /^(?:i|\.?\r?$)/.test(line))) return NO;
  return complete ? { value: refusalOf(words), length: text.length } : undefined;
}

function errorWords(line: string): string | undefined {
  const [text = "", , host, port = ""] = line.replace(/\r$/, "").split("\t");
  if (host === undefined) return undefined;
  const nowhere = host === NOWHERE_HOST || (text.startsWith("3") && NOWHERE_PORTS.has(port));
  return nowhere ? text.slice(1) : undefined;
}

/** The protocol has no codes for these errors, and nearly all are of one kind. */
function refusalOf(words: string): Refusal {
  const code = /(?:access|permission) denied|forbidden/i.test(words) ? "permission-denied" : "not-found";
  return { code, words: wordsOf(latin1ToBytes(words)) };
}
