import { AccessError } from "@anyscheme/core";
import { asBuffer, createLimitError } from "@anyscheme/core/plugin";
import { createBareLineEndError, createMalformedResponseError, parseHttpHeaders } from "../headers.ts";
import type { ReceivedByteCounter } from "./body-framing-decoder.ts";
import type { HttpResponseHead } from "./response-head.ts";

const CR = 0x0d;
const LF = 0x0a;
const HTTP_VERSION_START = Buffer.from("HTTP/");
const HEAD_END = Buffer.from("\r\n\r\n");
/** The initial size of the buffer for a head that arrives in several chunks. */
const INITIAL_BUFFER_BYTES = 2_048;

// status-line = HTTP-version SP status-code SP [ reason-phrase ]            RFC 9112 §4
const STATUS_LINE = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: (.*))?$/;
// RFC 9112 §2.2: "A recipient MAY recognize a single LF as a line terminator". This parser rejects a single LF,
// because other parsers do not treat it as the end of a line. The reason phrase may have all characters except CR and
// LF.
const VALID_HEAD_TEXT = /^[^\r\n]*(?:\r\n[\t\x20-\x7e\x80-\xff]*)*$/;

/**
 * Parses response heads from chunks of any size. RFC 9112 §4, §5. Skips interim responses. Throws `protocol` for an
 * invalid head, and `limit` for a head that is too large or for too many interim responses.
 */
export class ResponseHeadParser {
  readonly #received: ReceivedByteCounter;
  /** The buffer of an incomplete response head. The head fills the first `#length` bytes of the buffer. */
  #buffer: Buffer | undefined;
  #length = 0;
  /** The offset at which the next search for the end of the head begins. */
  #searchFrom = 0;
  /** The number of bytes of blank lines before the head. */
  #blankBytes = 0;
  #interimResponses = 0;

  constructor(received: ReceivedByteCounter) {
    this.#received = received;
  }

  /**
   * Parses a chunk. Returns the final response when its head is complete, and the number of consumed bytes of the
   * chunk.
   */
  push(bytes: Uint8Array): { readonly head: HttpResponseHead; readonly consumedBytes: number } | undefined {
    let rest = asBuffer(bytes);
    for (let consumedBytes = 0; ;) {
      const taken = this.#takeHead(rest);
      if (!taken) return undefined;
      consumedBytes += taken.consumedBytes;
      const head = this.#parse(taken.text);
      if (head) return { head, consumedBytes };
      this.#received.addFramingBytes(taken.text.length + HEAD_END.length);
      rest = rest.subarray(taken.consumedBytes);
    }
  }

  /** Returns the text of a complete head without its final blank line, and the number of consumed bytes. */
  #takeHead(chunk: Buffer): { readonly text: string; readonly consumedBytes: number } | undefined {
    const blank = this.#length === 0 ? countBlankLineBytes(chunk) : 0;
    this.#blankBytes += blank;
    const before = this.#length;
    const head = before === 0 ? chunk.subarray(blank) : this.#append(chunk);
    const end = head.indexOf(HEAD_END, this.#searchFrom);
    const length = end < 0 ? head.length : end + HEAD_END.length;
    const maxLength = Math.max(0, this.#received.limits.maxHeaderBytes - this.#blankBytes);
    // The order of the checks ensures that an invalid head throws the same error for every size of the received chunks.
    checkStartsWithHttp(head.subarray(0, Math.min(HTTP_VERSION_START.length, maxLength)));
    const isTooLong = this.#blankBytes + length > this.#received.limits.maxHeaderBytes;
    // The end of a head with bare LFs would never be found.
    if ((end < 0 || isTooLong) && hasBareLineEnd(head.subarray(0, maxLength), this.#searchFrom))
      throw createBareLineEndError();
    if (isTooLong)
      throw createLimitError("maxHeaderBytes", this.#received.limits, "the head of the response is too long");
    if (end < 0) {
      if (before === 0 && head.length > 0) this.#append(head);
      this.#searchFrom = Math.max(0, this.#length - HEAD_END.length + 1);
      return undefined;
    }
    this.#length = 0;
    this.#searchFrom = 0;
    this.#blankBytes = 0;
    return { text: head.toString("latin1", 0, end), consumedBytes: blank + length - before };
  }

  /** Appends a chunk to the buffer. Returns all bytes of the incomplete head. */
  #append(chunk: Buffer): Buffer {
    const length = this.#length + chunk.length;
    if (!this.#buffer || this.#buffer.length < length) {
      const maxBytes = Math.ceil(this.#received.limits.maxHeaderBytes + chunk.length);
      const larger = Buffer.allocUnsafe(Math.max(INITIAL_BUFFER_BYTES, Math.min(2 * length, maxBytes)));
      this.#buffer?.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
    return this.#buffer.subarray(0, length);
  }

  /** Parses a head. Returns `undefined` for an interim response. */
  #parse(text: string): HttpResponseHead | undefined {
    if (!VALID_HEAD_TEXT.test(text))
      throw hasBareLineEnd(Buffer.from(text, "latin1"))
        ? createBareLineEndError()
        : createMalformedResponseError("the head has a control character");
    const lines = text.split("\r\n");
    if (lines.length - 1 > this.#received.limits.maxHeaderLines)
      throw createLimitError(
        "maxHeaderLines",
        this.#received.limits,
        "the response has too many header lines",
      );
    const [, version, digits, reason = ""] = STATUS_LINE.exec(lines[0] ?? "") ?? [];
    if (version === undefined) throw createNotHttpError();
    const status = Number(digits);
    const headers = parseHttpHeaders(lines.slice(1));
    if (status >= 200) return { version, status, reason, headers };
    if (status === 101)
      throw new AccessError("protocol", "the server switched to another protocol without a request");
    if (++this.#interimResponses > this.#received.limits.maxInterimResponses)
      throw createLimitError(
        "maxInterimResponses",
        this.#received.limits,
        "the server sent too many interim responses",
      );
    return undefined;
  }
}

function createNotHttpError(): AccessError {
  return new AccessError("protocol", "the response is not HTTP/1.1");
}

/**
 * True for bytes with an LF that no CR precedes, or with a CR that no LF follows. The function ignores a CR as the last
 * received byte, because the LF may arrive later.
 */
function hasBareLineEnd(bytes: Uint8Array, from = 0): boolean {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1))
    if (bytes[at - 1] !== CR) return true;
  for (let at = bytes.indexOf(CR, from); at >= 0; at = bytes.indexOf(CR, at + 1))
    if (at + 1 < bytes.length && bytes[at + 1] !== LF) return true;
  return false;
}

// RFC 9112 §2.2 requires servers to skip blank lines before a request. Common clients also skip blank lines before a
// response.
function countBlankLineBytes(bytes: Uint8Array): number {
  let count = 0;
  while (bytes[count] === CR || bytes[count] === LF) count++;
  return count;
}

/** Throws unless the received bytes begin with `HTTP/`. Fewer than 5 bytes must be the beginning of `HTTP/`. */
function checkStartsWithHttp(start: Buffer): void {
  if (HTTP_VERSION_START.compare(start, 0, start.length, 0, start.length) !== 0) throw createNotHttpError();
}
