import { AccessError } from "@anyscheme/core";
import {
  bytesToLatin1,
  createLimitError,
  createMaskableServerText,
  getFirstInvalidHeaderCharacter,
  HTTP_TOKEN_REGEXP_SOURCE,
} from "@anyscheme/core/plugin";
import { createBareLineEndError, createMalformedResponseError, parseHttpHeaders } from "../headers.ts";
import { type HttpResponseHead, sanitizeServerText } from "./response-head.ts";
import type { HttpLimits } from "../scheme-options.ts";

const CR = 0x0d;
const LF = 0x0a;
const HEX_DIGITS = "0123456789abcdef";
/** A JavaScript number represents a size of 13 hexadecimal digits exactly. */
const MAX_SIZE_DIGITS = 13;

// quoted-string            RFC 9110 §5.6.4
const QUOTED_STRING_REGEXP_SOURCE = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
// chunk-size = 1*HEXDIG            RFC 9112 §7.1
// chunk-ext = *( BWS ";" BWS name [ BWS "=" BWS value ] )            RFC 9112 §7.1.1
// A recipient removes these blanks (RFC 9110 §5.6.3). Some servers also pad the line of a chunk size with blanks.
const CHUNK_SIZE_LINE = new RegExp(
  `^0*([0-9A-Fa-f]{1,${MAX_SIZE_DIGITS}})[\\t ]*(?:;[\\t ]*${HTTP_TOKEN_REGEXP_SOURCE}[\\t ]*(?:=[\\t ]*(?:${HTTP_TOKEN_REGEXP_SOURCE}|${QUOTED_STRING_REGEXP_SOURCE})[\\t ]*)?)*$`,
);
// Content-Length = 1*DIGIT            RFC 9110 §8.6
const CONTENT_LENGTH_VALUE = /^0*\d{1,15}$/;

type ChunkCallback = (bytes: Uint8Array) => boolean;

/** Decodes the framing of a response body. */
export interface HttpBodyFramingDecoder {
  /**
   * The length of the body in bytes. The length is Infinity if the body ends with the connection, and `undefined` if
   * the body is chunked.
   */
  readonly length: number | undefined;
  /** True when the last byte of the body has been decoded. */
  readonly isDone: boolean;
  /** The progress for error messages, as in `after 3 of 10 bytes of the body`. */
  readonly progressText: string;
  /**
   * Passes the part of the body in `bytes` to `onChunk`, in one piece. Returns the number of consumed bytes. May
   * overwrite the consumed bytes in `bytes`.
   */
  push(bytes: Uint8Array, onChunk: ChunkCallback): number;
}

/**
 * Returns the decoder of a response body. RFC 9112 §6.3. Throws `protocol` for headers with a contradictory length.
 * Throws `unsupported` for a transfer coding other than `chunked`.
 */
export function createBodyFramingDecoder(
  { version, status, headers }: HttpResponseHead,
  method: string,
  received: ReceivedByteCounter,
): HttpBodyFramingDecoder {
  const coding = headers["transfer-encoding"]?.join(", ").toLowerCase();
  const lengths = headers["content-length"];
  // RFC 9112 §6.1: a sender must not send Content-Length together with Transfer-Encoding, and must not send
  // Transfer-Encoding with HTTP/1.0.
  if (coding !== undefined && lengths)
    throw createMalformedResponseError("the headers contain both a Content-Length and a Transfer-Encoding");
  if (coding !== undefined && version === "1.0")
    throw createMalformedResponseError("HTTP/1.0 has no Transfer-Encoding");
  if (lengths && lengths.length > 1) throw createMalformedResponseError("it has several Content-Lengths");
  if (lengths && !CONTENT_LENGTH_VALUE.test(lengths[0] ?? ""))
    throw createMalformedResponseError("the Content-Length is not a number");
  if (method === "HEAD" || status === 204 || status === 304) return new FixedLengthDecoder(0, received);
  if (coding === "chunked") return new ChunkedDecoder(received);
  if (coding === undefined) return new FixedLengthDecoder(lengths ? Number(lengths[0]) : Infinity, received);
  const name = createMaskableServerText(sanitizeServerText(coding));
  throw new AccessError("unsupported", [
    "the server used the transfer coding ",
    name,
    ", which was not requested",
  ]);
}

class FixedLengthDecoder implements HttpBodyFramingDecoder {
  readonly length: number;
  readonly #received: ReceivedByteCounter;
  #remaining: number;
  #bodyBytes = 0;

  constructor(length: number, received: ReceivedByteCounter) {
    this.length = length;
    this.#remaining = length;
    this.#received = received;
  }

  get progressText(): string {
    if (this.length === Infinity) return `after ${this.#bodyBytes} bytes of the body`;
    return `after ${this.#bodyBytes} of ${this.length} bytes of the body`;
  }

  get isDone(): boolean {
    return this.#remaining === 0;
  }

  push(bytes: Uint8Array, onChunk: ChunkCallback): number {
    const count = Math.min(this.#remaining, bytes.length);
    this.#remaining -= count;
    this.#bodyBytes += count;
    this.#received.addBodyBytes(count);
    if (count > 0) onChunk(count < bytes.length ? bytes.subarray(0, count) : bytes);
    return count;
  }
}

/** Decodes the chunked coding. RFC 9112 §7.1. Ignores chunk extensions and trailers, and limits their length. */
class ChunkedDecoder implements HttpBodyFramingDecoder {
  readonly length = undefined;
  readonly #received: ReceivedByteCounter;
  #state: "size" | "data" | "data-end" | "trailer" | "done" = "size";
  /** The received bytes of a line of the chunked coding whose end has not arrived. */
  #line = "";
  #endsWithCr = false;
  #chunkRemaining = 0;
  #bodyBytes = 0;
  #trailerBytes = 0;
  #trailerLines = 0;

  constructor(received: ReceivedByteCounter) {
    this.#received = received;
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  get progressText(): string {
    const place = this.#state === "trailer" ? "within the trailers" : "before the last chunk";
    return `after ${this.#bodyBytes} bytes of the body, ${place}`;
  }

  push(bytes: Uint8Array, onChunk: ChunkCallback): number {
    let at = 0;
    // The data of all chunks in `bytes` is moved together, because a server may send chunks of one byte.
    let dataStart = 0;
    let dataEnd = 0;
    try {
      while (at < bytes.length && this.#state !== "done") {
        if (this.#state === "data") {
          const count = Math.min(bytes.length - at, this.#chunkRemaining);
          if (dataEnd === 0) dataStart = dataEnd = at;
          else bytes.copyWithin(dataEnd, at, at + count);
          dataEnd += count;
          at += count;
          this.#chunkRemaining -= count;
          this.#bodyBytes += count;
          this.#received.addBodyBytes(count);
          if (this.#chunkRemaining === 0) this.#state = "data-end";
        } else {
          const lineFeed = bytes.indexOf(LF, at);
          const end = lineFeed < 0 ? bytes.length : lineFeed;
          const start = at;
          at = lineFeed < 0 ? end : end + 1;
          this.#received.addFramingBytes(at - start);
          if (lineFeed >= 0 && this.#line === "" && this.#readPlainLine(bytes, start, lineFeed)) continue;
          this.#appendToLine(bytes.subarray(start, end));
          if (lineFeed >= 0) this.#endLine();
        }
      }
    } finally {
      // The caller also receives the body bytes that precede a fault in the chunked coding.
      if (dataEnd > 0) onChunk(bytes.subarray(dataStart, dataEnd));
    }
    return at;
  }

  /**
   * Reads the CR LF after a chunk, or a line that contains only a chunk size. Returns false for any other line of the
   * chunked coding. Without this method, decoding a body in chunks of one byte takes four times the CPU time (Node.js
   * 24).
   */
  #readPlainLine(bytes: Uint8Array, start: number, lineFeed: number): boolean {
    const end = lineFeed - 1;
    if (bytes[end] !== CR) return false;
    if (this.#state === "data-end" && start === end) {
      this.#state = "size";
      return true;
    }
    const size = this.#state === "size" ? parseHexDigits(bytes, start, end) : undefined;
    if (size !== undefined) this.#startChunk(size);
    return size !== undefined;
  }

  #appendToLine(bytes: Uint8Array): void {
    const text = bytesToLatin1(bytes);
    const carriageReturn = text.indexOf("\r");
    // The decoder refuses a bare CR without waiting for the end of the line.
    if (text !== "" && (this.#endsWithCr || (carriageReturn >= 0 && carriageReturn < text.length - 1)))
      throw createBareLineEndError();
    // RFC 9112 §7.1: chunk = chunk-size [ chunk-ext ] CRLF chunk-data CRLF
    if (this.#state === "data-end" && text !== "" && carriageReturn !== 0)
      throw createMalformedResponseError("a chunk is longer than its stated size");
    this.#endsWithCr ||= carriageReturn >= 0;
    this.#line += text;
    const { limits } = this.#received;
    const lineBytes = this.#state === "trailer" ? (this.#trailerBytes += text.length) : this.#line.length;
    if (lineBytes <= limits.maxHeaderBytes) return;
    const reason =
      this.#state === "trailer" ? "the trailers of the response are" : "the extension of a chunk is";
    throw createLimitError("maxHeaderBytes", limits, `${reason} too long`);
  }

  #endLine(): void {
    if (!this.#endsWithCr) throw createBareLineEndError();
    const line = this.#line.slice(0, -1);
    this.#line = "";
    this.#endsWithCr = false;
    if (this.#state === "size") this.#readSize(line);
    else if (this.#state === "trailer") this.#readTrailer(line);
    else this.#state = "size";
  }

  #readSize(line: string): void {
    const [, digits] = CHUNK_SIZE_LINE.exec(line) ?? [];
    if (digits === undefined) throw createMalformedResponseError("the size line of a chunk is invalid");
    this.#startChunk(parseInt(digits, 16));
  }

  #startChunk(size: number): void {
    this.#chunkRemaining = size;
    this.#state = size === 0 ? "trailer" : "data";
  }

  #readTrailer(line: string): void {
    if (line === "") {
      this.#state = "done";
      return;
    }
    const { limits } = this.#received;
    if (++this.#trailerLines > limits.maxHeaderLines)
      throw createLimitError("maxHeaderLines", limits, "the response has too many trailers");
    if (getFirstInvalidHeaderCharacter(line) !== undefined)
      throw createMalformedResponseError("a trailer has a control character");
    parseHttpHeaders([line]);
  }
}

/** Returns the number in 1 to 13 hexadecimal digits, or `undefined` for other bytes. */
function parseHexDigits(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (start === end || end - start > MAX_SIZE_DIGITS) return undefined;
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = HEX_DIGITS.indexOf(String.fromCharCode(bytes[at] ?? 0).toLowerCase());
    if (digit < 0) return undefined;
    number = number * 16 + digit;
  }
  return number;
}

/**
 * Counts the bytes received for all requests of one resource. Limits the bytes without content: interim responses,
 * chunk sizes and extensions, trailers, and compressed data that decompresses to nothing.
 */
export class ReceivedByteCounter {
  readonly limits: HttpLimits;
  #max = Infinity;
  #total = 0;
  #withoutContent = 0;
  #compressed = 0;
  /** True for a body with content codings, whose content is the output of the decompressors. */
  isBodyEncoded = false;

  constructor(limits: HttpLimits) {
    this.limits = limits;
  }

  /** The number of bytes that the decompressors have consumed. */
  get compressedBytes(): number {
    return this.#compressed;
  }

  /** Sets the maximum number of bytes that may be received for the resource. */
  setMaxTotalBytes(maxBytes: number): void {
    this.#max = maxBytes;
  }

  /**
   * Counts received bytes without content, such as chunk sizes. Throws `limit` after too many bytes without content.
   */
  addFramingBytes(count: number): void {
    this.#withoutContent += count;
    if (this.#withoutContent > this.limits.maxBytesWithoutContent) throw this.#withoutContentError();
    this.#addReceived(count);
  }

  /** Counts received bytes of the body. Throws `limit` after too many received bytes. */
  addBodyBytes(count: number): void {
    if (!this.isBodyEncoded) this.resetBytesWithoutContent();
    this.#addReceived(count);
  }

  #addReceived(count: number): void {
    this.#total += count;
    if (this.#total > this.#max)
      throw createLimitError(
        "maxEncodedRatio",
        this.limits,
        `the server has sent too many bytes for a body (${this.#total})`,
      );
  }

  /**
   * Counts bytes that a decompressor consumes. Returns the number of bytes that the decompressor may consume now, at
   * least 1. Throws `limit` when the decompressor may consume no further byte.
   */
  addCompressedBytes(count: number): number {
    const allowed = Math.min(count, this.limits.maxBytesWithoutContent - this.#withoutContent);
    if (allowed < 1) throw this.#withoutContentError();
    this.#withoutContent += allowed;
    this.#compressed += allowed;
    return allowed;
  }

  /** Subtracts bytes that were counted but that a decompressor did not consume. */
  subtractCompressedBytes(count: number): void {
    this.#withoutContent = Math.max(0, this.#withoutContent - count);
    this.#compressed -= count;
  }

  /** Restarts the count of bytes without content at 0, because content has arrived. */
  resetBytesWithoutContent(): void {
    this.#withoutContent = 0;
  }

  #withoutContentError(): Error {
    return createLimitError("maxBytesWithoutContent", this.limits, "the server sends bytes without content");
  }
}
