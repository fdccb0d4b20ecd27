import { AccessError } from "@anyscheme/core";
import type { ByteSource, Range } from "@anyscheme/core/plugin";
import type { Header } from "../headers.ts";
import { type HttpResponse, getSingleHeader } from "../response/response.ts";

// Content-Range = "bytes" SP first-pos "-" last-pos "/" ( complete-length / "*" )            RFC 9110 §14.4
const contentRange = /^bytes +(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i;
const unsatisfied = /^bytes +\*\/(\d{1,15})$/i;

/** Returns the header that requests a part. Its last position is inclusive. RFC 9110 §14.1.2. */
export function createRangeHeader({ start, end }: Range): Header {
  return ["range", `bytes=${start}-${end === undefined ? "" : end - 1}`];
}

/** The part in a response, and the length of the whole content if known. */
export interface ContentRange {
  readonly start: number;
  /** The exclusive end of the part. */
  readonly end: number;
  readonly total: number | undefined;
}

/** Matches the media type of several parts. RFC 9110 §15.3.7.2 forbids it as the response to one range. */
const multipart = /^multipart\/byteranges\b/i;

/** Parses the Content-Range of a 206 response. Throws `protocol` unless the part begins where the range begins. */
export function parseContentRange(response: HttpResponse, requested: Range): ContentRange {
  const [, first, last, total] = contentRange.exec(getSingleHeader(response, "content-range") ?? "") ?? [];
  const part = {
    start: Number(first),
    end: Number(last) + 1,
    total: total === "*" ? undefined : Number(total),
  };
  const isRequested =
    part.start === requested.start &&
    part.end > part.start &&
    part.end <= Math.min(requested.end ?? Infinity, part.total ?? Infinity);
  if (first !== undefined && isRequested) return part;
  const isMultipart = multipart.test(response.headers["content-type"]?.[0] ?? "");
  const withoutRange = isMultipart ? "several parts" : "a part without a valid Content-Range";
  const sent = first === undefined ? withoutRange : "another part";
  const end = requested.end === undefined ? "the end" : requested.end - 1;
  throw new AccessError(
    "protocol",
    `bytes ${requested.start} to ${end} were requested, but the server sent ${sent}`,
  );
}

/** Returns the length of the whole content in a 416 response. RFC 9110 §15.5.17. */
export function parseCompleteLength({ headers }: HttpResponse): number | undefined {
  const [, total] = unsatisfied.exec(headers["content-range"]?.[0] ?? "") ?? [];
  return total === undefined ? undefined : Number(total);
}

/** A body without bytes. */
export const EMPTY_SOURCE: ByteSource = { read: () => Promise.resolve("end"), cancel: () => undefined };

/**
 * Checks that a refused range begins at the end of the content. The part is then empty. RFC 9110 §15.5.17. Throws
 * `out-of-range` when it begins after the end, and `protocol` when it begins before the end.
 */
export function checkRangeBeginsAtEnd(response: HttpResponse, { start }: Range): void {
  const total = parseCompleteLength(response);
  // If the response has no length, only byte 0 is valid, as the end of empty content.
  if (start === (total ?? 0)) return;
  if (total === undefined || start > total) throw createRangeError(start, total);
  const reason = `the server refused a range that begins at ${start}, but the content has ${total} bytes`;
  throw new AccessError("protocol", reason);
}

function createRangeError(start: number, total: number | undefined): AccessError {
  const length = total === undefined ? "is shorter" : `has ${total} bytes`;
  return new AccessError("out-of-range", `the range begins at ${start}, but the content ${length}`);
}

/** Returns the length of a range within content of this length. Throws `out-of-range` when it begins after the end. */
export function computeRangeLength(
  { start, end = Infinity }: Range,
  total: number | undefined,
): number | undefined {
  if (total === undefined) return undefined;
  if (start > total) throw createRangeError(start, total);
  return Math.min(end, total) - start;
}

/** Returns a range of a source with the whole content. Cancels the source after the last byte of the range. */
export function sliceBody(source: ByteSource, { start, end = Infinity }: Range): ByteSource {
  let at = 0;
  return {
    async read(onChunk) {
      const state = await source.read((bytes) => {
        const from = Math.max(0, start - at);
        const to = Math.min(bytes.length, end - at);
        at += bytes.length;
        return (from >= to || onChunk(bytes.subarray(from, to))) && at < end;
      });
      if (state === "end" && at < start) throw createRangeError(start, at);
      if (state === "more" && at >= end) {
        source.cancel();
        return "end";
      }
      return state;
    },
    cancel: () => source.cancel(),
  };
}
