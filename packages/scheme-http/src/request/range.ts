import { AccessError } from "@anyscheme/core";
import type { ByteSource, Range } from "@anyscheme/core/plugin";
import type { HttpHeader } from "../headers.ts";
import { type HttpResponseHead, getSingleHeader } from "../response/response-head.ts";

// Content-Range = "bytes" SP first-pos "-" last-pos "/" ( complete-length / "*" )            RFC 9110 §14.4
const CONTENT_RANGE_VALUE = /^bytes +(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i;
const UNSATISFIED_RANGE_VALUE = /^bytes +\*\/(\d{1,15})$/i;

/** Returns the Range header that requests a part of the content. RFC 9110 §14.1.2. */
export function createRangeHeader({ start, endExclusive }: Range): HttpHeader {
  return ["range", `bytes=${start}-${endExclusive === undefined ? "" : endExclusive - 1}`];
}

/** The part of the content in a 206 response. */
export interface ContentRange {
  readonly start: number;
  /** The offset of the first byte of the content after the part. */
  readonly endExclusive: number;
  /**
   * The end of the requested range, or of the content if it is shorter. A server may send only the beginning of the
   * requested range. RFC 9110 §15.3.7. If the length of the content is unknown, `requestedEndExclusive` is the end of
   * the sent part.
   */
  readonly requestedEndExclusive: number;
  /** The length of the whole content, if the server stated it. */
  readonly total: number | undefined;
}

/**
 * Matches the media type multipart/byteranges. A response to a request for a single range may not have this type. RFC
 * 9110 §15.3.7.2.
 */
const MULTIPART_BYTERANGES = /^multipart\/byteranges\b/i;

/** Parses the Content-Range of a 206 response. Throws `protocol` for a part that was not requested. */
export function requireContentRange(head: HttpResponseHead, requested: Range): ContentRange {
  const [, first, last, total] = CONTENT_RANGE_VALUE.exec(getSingleHeader(head, "content-range") ?? "") ?? [];
  const part = {
    start: Number(first),
    endExclusive: Number(last) + 1,
    total: total === "*" ? undefined : Number(total),
  };
  const latestEnd = Math.min(requested.endExclusive ?? Infinity, part.total ?? Infinity);
  const isRequested =
    part.start === requested.start && part.endExclusive > part.start && part.endExclusive <= latestEnd;
  if (first !== undefined && isRequested)
    return { ...part, requestedEndExclusive: part.total === undefined ? part.endExclusive : latestEnd };
  const isMultipart = MULTIPART_BYTERANGES.test(head.headers["content-type"]?.[0] ?? "");
  const withoutRange = isMultipart ? "several parts" : "a part without a valid Content-Range";
  const sent = first === undefined ? withoutRange : "another part";
  const end = requested.endExclusive === undefined ? "the end" : requested.endExclusive - 1;
  throw new AccessError(
    "protocol",
    `bytes ${requested.start} to ${end} were requested, but the server sent ${sent}`,
  );
}

/** Returns the length of the whole content that a 416 response states. RFC 9110 §15.5.17. */
export function parseTotalLengthOf416Response({ headers }: HttpResponseHead): number | undefined {
  const [, total] = UNSATISFIED_RANGE_VALUE.exec(headers["content-range"]?.[0] ?? "") ?? [];
  return total === undefined ? undefined : Number(total);
}

/**
 * Checks that a range refused with status 416 begins at the end of the content. RFC 9110 §15.5.17. Throws
 * `out-of-range` if the refused range begins after the end, and `protocol` if it begins before the end.
 */
export function checkRefusedRangeStartsAtEnd(head: HttpResponseHead, { start }: Range): void {
  const total = parseTotalLengthOf416Response(head);
  // A server refuses a range from byte 0 only if the content is empty.
  if (start === (total ?? 0)) return;
  if (total === undefined || start > total) throw createRangeError(start, total);
  const reason = `the server refused a range that begins at ${start}, but the content has ${total} bytes`;
  throw new AccessError("protocol", reason);
}

function createRangeError(start: number, total: number | undefined): AccessError {
  const length = total === undefined ? "is shorter" : `has ${total} bytes`;
  const reason = `the range begins at ${start}, but the content ${length}`;
  return new AccessError("out-of-range", reason, { totalSize: total });
}

/**
 * Returns the length of a byte range of content of `total` bytes. Throws `out-of-range` for a range that begins after
 * the end of the content.
 */
export function computeRangeLength(
  { start, endExclusive = Infinity }: Range,
  total: number | undefined,
): number | undefined {
  if (total === undefined) return undefined;
  if (start > total) throw createRangeError(start, total);
  return Math.min(endExclusive, total) - start;
}

/**
 * Returns a source of the bytes of a 206 response. Ignores bytes after the requested range. Reading fails with
 * `incomplete` if the body ends before the end of the requested range.
 */
export function limit206BodyToRequestedRange(
  source: ByteSource,
  { start, requestedEndExclusive }: ContentRange,
): ByteSource {
  const size = requestedEndExclusive - start;
  const slice = sliceWholeContent(source, { start: 0, endExclusive: size });
  let received = 0;
  return {
    async readChunks(onChunk) {
      let wantsMore = true;
      const state = await slice.readChunks((bytes) => {
        received += bytes.length;
        return (wantsMore = onChunk(bytes));
      });
      if (state === "more" || received === size) return state;
      // If the caller wants no more bytes now, it processes the received ones, and the next `readChunks` throws.
      if (!wantsMore) return "more";
      throw new AccessError("incomplete", `the server sent ${received} of ${size} requested bytes`);
    },
    cancel: () => slice.cancel(),
  };
}

/**
 * Returns a source of the bytes in a range of the whole content. Cancels the source of the content after the last byte
 * of the range.
 */
export function sliceWholeContent(source: ByteSource, { start, endExclusive = Infinity }: Range): ByteSource {
  let at = 0;
  return {
    async readChunks(onChunk) {
      const state = await source.readChunks((bytes) => {
        const from = Math.max(0, start - at);
        const to = Math.min(bytes.length, endExclusive - at);
        at += bytes.length;
        return (from >= to || onChunk(bytes.subarray(from, to))) && at < endExclusive;
      });
      if (state === "end" && at < start) throw createRangeError(start, at);
      if (state === "more" && at >= endExclusive) {
        source.cancel();
        return "end";
      }
      return state;
    },
    cancel: () => source.cancel(),
  };
}
