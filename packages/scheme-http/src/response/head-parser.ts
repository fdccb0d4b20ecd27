import { AccessError, type Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";
import type { ReceivedBytes } from "./received-bytes.ts";
import type { HttpResponse } from "./response.ts";

const CR = 0x0d;
const LF = 0x0a;
const PROTOCOL = Buffer.from("HTTP/");
const END = Buffer.from("\r\n\r\n");
/** What a head usually fits into. */
const FIRST_BYTES = 2_048;

// status-line = HTTP-version SP status-code SP [ reason-phrase ]            RFC 9112 §4
const statusLine = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: (.*))?$/;
// field-name = token            RFC 9110 §5.1
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// field-vchar = VCHAR / obs-text, with SP and HTAB between            RFC 9110 §5.5
const outsideField = /[^\t\x20-\x7e\x80-\xff]/;
// A reason phrase is shown and has no meaning, so that odd ones do no harm. RFC 9112 §2.2: "A recipient MAY recognize a single
// LF as a line terminator"; one that does not cannot be told two readings.
const headText = /^[^\r\n]*(?:\r\n[\t\x20-\x7e\x80-\xff]*)*$/;

/**
 * Reads response heads, however they are cut into pieces. RFC 9112 §4, §5. Interim responses are passed over and counted.
 * Strict, as a recipient may be: what could be read in two ways is `protocol`. Throws `limit` for floods.
 */
export class HeadParser {
  readonly #limits: Limits;
  readonly #received: ReceivedBytes;
  #held: Buffer | undefined;
  #length = 0;
  /** How far the end was looked for already. */
  #searched = 0;
  /** Blank lines before the head. */
  #skipped = 0;
  #interim = 0;
  #continued = false;

  constructor(limits: Limits, received: ReceivedBytes) {
    this.#limits = limits;
    this.#received = received;
  }

  /** Whether the server has asked for the content of the request. RFC 9110 §15.2.1. */
  get hasContinue(): boolean {
    return this.#continued;
  }

  /** Takes bytes. Gives the final response and how many of these bytes belong to its head, once it is complete. */
  push(bytes: Uint8Array): { readonly response: HttpResponse; readonly consumed: number } | undefined {
    let piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let consumed = 0; ;) {
      const text = this.#cut(piece);
      if (!text) return undefined;
      consumed += text.consumed;
      const response = this.#read(text.head);
      if (response) return { response, consumed };
      this.#received.addFraming(text.head.length + END.length);
      piece = piece.subarray(text.consumed);
    }
  }

  /** The head without the blank line that ends it, and how many bytes of the piece it took. */
  #cut(piece: Buffer): { readonly head: string; readonly consumed: number } | undefined {
    const skipped = this.#length === 0 ? blankLines(piece) : 0;
    this.#skipped += skipped;
    const before = this.#length;
    const whole = before === 0 ? piece.subarray(skipped) : this.#hold(piece);
    const end = whole.indexOf(END, this.#searched);
    const length = end < 0 ? whole.length : end + END.length;
    const room = Math.max(0, this.#limits.maxHeaderBytes - this.#skipped);
    // What comes first is judged first, whatever the pieces.
    checkProtocol(whole.subarray(0, Math.min(PROTOCOL.length, room)));
    const isTooLong = this.#skipped + length > this.#limits.maxHeaderBytes;
    // A head that will never end is not waited for.
    if ((end < 0 || isTooLong) && hasBareLineEnd(whole.subarray(0, room), this.#searched))
      throw bareLineEndError();
    if (isTooLong) throw limitError("maxHeaderBytes", this.#limits, "the head of the response is too long");
    if (end < 0) {
      if (before === 0 && whole.length > 0) this.#hold(whole);
      this.#searched = Math.max(0, this.#length - END.length + 1);
      return undefined;
    }
    this.#length = 0;
    this.#searched = 0;
    this.#skipped = 0;
    return { head: whole.toString("latin1", 0, end), consumed: skipped + length - before };
  }

  /** Keeps a piece behind the others. */
  #hold(piece: Buffer): Buffer {
    const length = this.#length + piece.length;
    if (!this.#held || this.#held.length < length) {
      // More than the limit and this piece is never held.
      const most = this.#limits.maxHeaderBytes + piece.length;
      const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, Math.min(2 * length, Math.ceil(most))));
      this.#held?.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#length);
    this.#length = length;
    return this.#held.subarray(0, length);
  }

  #read(head: string): HttpResponse | undefined {
    if (!headText.test(head))
      throw hasBareLineEnd(Buffer.from(head, "latin1"))
        ? bareLineEndError()
        : malformedError("its head has a control character");
    const lines = head.split("\r\n");
    if (lines.length - 1 > this.#limits.maxHeaderLines)
      throw limitError("maxHeaderLines", this.#limits, "the response has too many header lines");
    const [, version, digits, reason = ""] = statusLine.exec(lines[0] ?? "") ?? [];
    if (version === undefined) throw noHttp();
    const status = Number(digits);
    const headers = parseHeaders(lines, 1);
    if (status >= 200) return { version, status, reason, headers };
    if (status === 101) throw new AccessError("protocol", "the server switches to another protocol unasked");
    this.#continued ||= status === 100;
    if (++this.#interim > this.#limits.maxInterimResponses) {
      const what = "the server sends one interim response after another";
      throw limitError("maxInterimResponses", this.#limits, what);
    }
    return undefined;
  }
}

/** Fields by name in lower case. Throws `protocol` for a line that is none. Used for trailers too. */
export function parseHeaders(
  lines: readonly string[],
  from = 0,
): Readonly<Record<string, readonly string[]>> {
  const fields = Object.create(null) as Record<string, string[]>;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const colon = line.indexOf(":");
    const name = nameOf(line.slice(0, Math.max(0, colon)));
    const value = withoutBlanks(line, colon + 1);
    const values = fields[name];
    if (values) values.push(value);
    else fields[name] = [value];
  }
  return fields;
}

/** Names as servers write them, in lower case. The same few come with every response, and a property's name is dear to make. */
const known = new Map<string, string>();
const MAX_KNOWN = 256;

function nameOf(written: string): string {
  const name = known.get(written);
  if (name !== undefined) return name;
  // A line that begins with a blank would continue the one before (RFC 9112 §5.2); its name is no token.
  if (!fieldName.test(written)) throw malformedError("it has a line that is no header field");
  const lower = written.toLowerCase();
  // A server that makes up names fills no memory.
  if (known.size < MAX_KNOWN && written.length < 64) known.set(written, lower);
  return lower;
}

/** Whether a line of a trailer has only what a field may have. */
export function isFieldText(text: string): boolean {
  return !outsideField.test(text);
}

function noHttp(): AccessError {
  return new AccessError("protocol", "the server does not answer in HTTP/1.1");
}

/** The error of a response that breaks the rules of RFC 9112; `fault` is a sentence. */
export function malformedError(fault: string): AccessError {
  return new AccessError("protocol", `the response is malformed: ${fault}`);
}

/** The error of a line that ends by LF or CR alone, which could be read in two ways. */
export function bareLineEndError(): AccessError {
  return new AccessError("protocol", "the server ended a line of its response by a bare LF or CR");
}

/** True where a LF follows no CR, or a CR is followed by something else than LF. A CR at the end is not judged. */
function hasBareLineEnd(bytes: Uint8Array, from = 0): boolean {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1))
    if (bytes[at - 1] !== CR) return true;
  for (let at = bytes.indexOf(CR, from); at >= 0; at = bytes.indexOf(CR, at + 1))
    if (at + 1 < bytes.length && bytes[at + 1] !== LF) return true;
  return false;
}

function withoutBlanks(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

// RFC 9112 §2.2 has servers pass over a blank line before a request; parsers of responses do the same.
function blankLines(bytes: Uint8Array): number {
  let count = 0;
  while (bytes[count] === CR || bytes[count] === LF) count++;
  return count;
}

/** Refuses another protocol at its first bytes, however long its first line may become. */
function checkProtocol(start: Buffer): void {
  if (PROTOCOL.compare(start, 0, start.length, 0, start.length) !== 0) throw noHttp();
}
