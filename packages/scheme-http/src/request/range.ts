import { AccessError, type Range } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import type { Header } from "./request.ts";
import { type HttpResponse, singleHeader } from "../response/response.ts";

// Content-Range = "bytes" SP first-pos "-" last-pos "/" ( complete-length / "*" )            RFC 9110 §14.4
const contentRange = /^bytes +(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i;
const unsatisfied = /^bytes +\*\/(\d{1,15})$/i;

/** Asks for a part. RFC 9110 §14.1.2: the last position is that of a byte which belongs to it. */
export function rangeHeader({ start, end }: Range): Header {
  return ["range", `bytes=${start}-${end === undefined ? "" : end - 1}`];
}

/** A part that a server has sent, and the length of the whole where it says so. */
export interface ContentRange {
  readonly start: number;
  /** The first byte that is no longer part of it. */
  readonly end: number;
  readonly total: number | undefined;
}

/** The content of several parts. RFC 9110 §15.3.7.2 has no server send it for one part. */
const severalParts = /^multipart\/byteranges\b/i;

/** The part in a 206 response. Throws `protocol` unless it is what was asked for, from its first byte on. */
export function parseContentRange(response: HttpResponse, asked: Range): ContentRange {
  const [, first, last, whole] = contentRange.exec(singleHeader(response, "content-range") ?? "") ?? [];
  const part = {
    start: Number(first),
    end: Number(last) + 1,
    total: whole === "*" ? undefined : Number(whole),
  };
  const right =
    part.start === asked.start &&
    part.end > part.start &&
    part.end <= Math.min(asked.end ?? Infinity, part.total ?? Infinity);
  if (first !== undefined && right) return part;
  const isSeveral = severalParts.test(response.headers["content-type"]?.[0] ?? "");
  const unnamed = isSeveral ? "several parts" : "a part without a valid Content-Range";
  const sent = first === undefined ? unnamed : "another part";
  const end = asked.end === undefined ? "the end" : asked.end - 1;
  throw new AccessError(
    "protocol",
    `the server was asked for bytes ${asked.start} to ${end}, and sent ${sent}`,
  );
}

/** The length of the whole that a 416 response names. RFC 9110 §15.5.17. */
export function unsatisfiedLength({ headers }: HttpResponse): number | undefined {
  const [, total] = unsatisfied.exec(headers["content-range"]?.[0] ?? "") ?? [];
  return total === undefined ? undefined : Number(total);
}

/** The part that begins where the content ends. */
export const EMPTY_SOURCE: ByteSource = { read: () => Promise.resolve("end"), cancel: () => undefined };

/**
 * Checks that a part which the server cannot give is empty because it begins where the content ends. RFC 9110 §15.5.17 has such a
 * part refused, too. Throws `out-of-range` for a part that begins behind the end, and `protocol` for one that begins before it.
 */
export function checkRangeAtEnd(response: HttpResponse, { start }: Range): void {
  const total = unsatisfiedLength(response);
  // Without the length: the only content that has no byte 0 is an empty one.
  if (start === (total ?? 0)) return;
  if (total === undefined || start > total) throw rangeNotSatisfiable(start, total);
  const what = `the server refused a range that begins at ${start}, and the content has ${total} bytes`;
  throw new AccessError("protocol", what);
}

function rangeNotSatisfiable(start: number, total: number | undefined): AccessError {
  const length =
    total === undefined ? "the server has no such part of the content" : `the content has ${total} bytes`;
  return new AccessError("out-of-range", `the range begins at ${start}, and ${length}`);
}

/** How long a part of a content of this length is. Throws `out-of-range` when it begins behind the end. */
export function rangeLength({ start, end = Infinity }: Range, whole: number | undefined): number | undefined {
  if (whole === undefined) return undefined;
  if (start > whole) throw rangeNotSatisfiable(start, whole);
  return Math.min(end, whole) - start;
}

/**
 * A part of a content whose server sends all of it. Throws `out-of-range` when it begins behind the end. The rest is given up
 * as soon as the part is complete.
 */
export function sliceBody(source: ByteSource, { start, end = Infinity }: Range): ByteSource {
  let at = 0;
  return {
    async read(take) {
      const state = await source.read((bytes) => {
        const from = Math.max(0, start - at);
        const to = Math.min(bytes.length, end - at);
        at += bytes.length;
        return (from >= to || take(bytes.subarray(from, to))) && at < end;
      });
      if (state === "end" && at < start) throw rangeNotSatisfiable(start, at);
      if (state === "more" && at >= end) {
        source.cancel();
        return "end";
      }
      return state;
    },
    cancel: () => source.cancel(),
  };
}
