import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, serverText } from "@anyscheme/core/plugin";
import { bareLineEndError, parseHeaders, isFieldText, malformedError } from "./head-parser.ts";
import type { ReceivedBytes } from "./received-bytes.ts";
import type { HttpResponse } from "./response.ts";

/** How the end of the content is known. RFC 9112 §6.3. */
export type BodyFraming = "none" | "chunked" | "length" | "close";

const LF = 0x0a;

// token, quoted-string            RFC 9110 §5.6.2, §5.6.4
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
// chunk-size = 1*HEXDIG, here as much as a double counts exactly; chunk-ext = *( ";" name [ "=" value ] )            RFC 9112 §7.1
const chunkLine = new RegExp(`^([0-9A-Fa-f]{1,13})(?:;${token}(?:=(?:${token}|${quoted}))?)*$`);
// Content-Length = 1*DIGIT            RFC 9110 §8.6
const lengthValue = /^\d{1,15}$/;

/**
 * How the content of a response is framed. Throws `protocol` for a response whose end could be read in two ways, and
 * `unsupported` for a transfer coding that nobody asked for: its bytes would be taken for the content.
 */
export function bodyFraming({ version, status, headers }: HttpResponse, method: string): BodyFraming {
  const coding = headers["transfer-encoding"]?.join(", ").toLowerCase();
  const lengths = headers["content-length"];
  // RFC 9112 §6.1: a sender MUST NOT send both, and not the first one by an older version.
  if (coding !== undefined && lengths)
    throw malformedError("it has both a Content-Length and a Transfer-Encoding");
  if (coding !== undefined && version === "1.0") throw malformedError("HTTP/1.0 has no Transfer-Encoding");
  if (lengths && lengths.length > 1) throw malformedError("it has several Content-Lengths");
  if (lengths && !lengthValue.test(lengths[0] ?? "")) throw malformedError("its Content-Length is no number");
  if (method === "HEAD" || status === 204 || status === 304) return "none";
  if (coding === "chunked") return "chunked";
  if (coding !== undefined) {
    const name = coding.replace(/[^\x21-\x7e ]/g, "?").slice(0, 100);
    throw new AccessError("unsupported", [
      "the server used the transfer coding ",
      serverText(name),
      ", which was not asked for",
    ]);
  }
  return lengths ? "length" : "close";
}

/** What the Content-Length says, where it frames the content. */
export function contentLength({ headers }: HttpResponse): number | undefined {
  const [length] = headers["content-length"] ?? [];
  return length === undefined ? undefined : Number(length);
}

type Take = (bytes: Uint8Array) => boolean;

/** Cuts the content out of the bytes of a connection. */
export interface BodyDecoder {
  /** Whether the content is complete. */
  readonly done: boolean;
  /** How much of the content has come, as in `after 3 of 10 bytes`. */
  readonly progress: string;
  /** Gives content to `take` until it has enough; returns how many bytes were used. */
  push(bytes: Uint8Array, take: Take): number;
}

export function createBodyDecoder(
  framing: BodyFraming,
  response: HttpResponse,
  limits: Limits,
  received: ReceivedBytes,
): BodyDecoder {
  if (framing === "chunked") return new ChunkedDecoder(limits, received);
  return new FixedLengthDecoder(
    framing === "none" ? 0 : framing === "close" ? Infinity : (contentLength(response) ?? 0),
  );
}

class FixedLengthDecoder implements BodyDecoder {
  readonly #length: number;
  #left: number;
  #count = 0;

  constructor(length: number) {
    this.#length = length;
    this.#left = length;
  }

  get progress(): string {
    return `after ${this.#count}${this.#length === Infinity ? "" : ` of ${this.#length}`} bytes of the body`;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  push(bytes: Uint8Array, take: Take): number {
    const count = Math.min(this.#left, bytes.length);
    this.#left -= count;
    this.#count += count;
    if (count > 0) take(count < bytes.length ? bytes.subarray(0, count) : bytes);
    return count;
  }
}

/** The chunked coding. RFC 9112 §7.1. Chunk extensions and trailers are not used; they are bounded. */
class ChunkedDecoder implements BodyDecoder {
  readonly #limits: Limits;
  readonly #received: ReceivedBytes;
  #state: "size" | "data" | "data-end" | "trailer" | "done" = "size";
  #line = "";
  /** Whether the line has a CR at its end already. */
  #returned = false;
  #left = 0;
  #count = 0;
  #trailerBytes = 0;
  #trailerLines = 0;

  constructor(limits: Limits, received: ReceivedBytes) {
    this.#limits = limits;
    this.#received = received;
  }

  get done(): boolean {
    return this.#state === "done";
  }

  get progress(): string {
    const place = this.#state === "trailer" ? "within the trailers" : "before the last chunk";
    return `after ${this.#count} bytes of the body, ${place}`;
  }

  push(bytes: Uint8Array, take: Take): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "done") {
      if (this.#state === "data") {
        const end = Math.min(bytes.length, at + this.#left);
        const piece = bytes.subarray(at, end);
        this.#left -= piece.length;
        this.#count += piece.length;
        at = end;
        if (this.#left === 0) this.#state = "data-end";
        if (!take(piece)) break;
      } else {
        const lineFeed = bytes.indexOf(LF, at);
        const end = lineFeed < 0 ? bytes.length : lineFeed;
        const start = at;
        this.#gather(bytes.subarray(start, end));
        at = lineFeed < 0 ? end : end + 1;
        this.#received.addFraming(at - start);
        if (lineFeed >= 0) this.#endLine();
      }
    }
    return at;
  }

  #gather(bytes: Uint8Array): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    const carriageReturn = text.indexOf("\r");
    // A line that will never end is not waited for.
    if (text !== "" && (this.#returned || (carriageReturn >= 0 && carriageReturn < text.length - 1)))
      throw bareLineEndError();
    // RFC 9112 §7.1: chunk = chunk-size [ chunk-ext ] CRLF chunk-data CRLF
    if (this.#state === "data-end" && text !== "" && carriageReturn !== 0)
      throw malformedError("a chunk is longer than its size says");
    this.#returned ||= carriageReturn >= 0;
    this.#line += text;
    const lineBytes = this.#state === "trailer" ? (this.#trailerBytes += text.length) : this.#line.length;
    if (lineBytes <= this.#limits.maxHeaderBytes) return;
    const what =
      this.#state === "trailer" ? "the trailers of the response are" : "the extension of a chunk is";
    throw limitError("maxHeaderBytes", this.#limits, `${what} too long`);
  }

  #endLine(): void {
    if (!this.#returned) throw bareLineEndError();
    const line = this.#line.slice(0, -1);
    this.#line = "";
    this.#returned = false;
    if (this.#state === "size") this.#readSize(line);
    else if (this.#state === "trailer") this.#readTrailer(line);
    else this.#state = "size";
  }

  #readSize(line: string): void {
    const [, digits] = chunkLine.exec(line) ?? [];
    if (digits === undefined) throw malformedError("a chunk has no size");
    this.#left = parseInt(digits, 16);
    this.#state = this.#left === 0 ? "trailer" : "data";
  }

  #readTrailer(line: string): void {
    if (line === "") {
      this.#state = "done";
      return;
    }
    if (++this.#trailerLines > this.#limits.maxHeaderLines)
      throw limitError("maxHeaderLines", this.#limits, "the response has too many trailers");
    if (!isFieldText(line)) throw malformedError("a trailer has a control character");
    parseHeaders([line]);
  }
}
