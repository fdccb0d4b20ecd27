import { AccessError, type Completeness } from "@anyscheme/core";
import { type ByteSource, parseHttpDate, type Range, type BodyResumeOptions } from "@anyscheme/core/plugin";
import { createContentChangedError, createResumableSource, EMPTY_BYTE_SOURCE } from "@anyscheme/core/io";
import type { HttpResponseReader } from "./connection/http-exchange.ts";
import type { HttpRequestSender } from "./connection/http-request-sender.ts";
import {
  type ContentRange,
  requireContentRange,
  createRangeHeader,
  parseTotalLengthOf416Response,
  limit206BodyToRequestedRange,
} from "./request/range.ts";
import type { HttpResponseHead } from "./response/response-head.ts";
import type { ReceivedByteCounter } from "./response/body-framing-decoder.ts";

export interface ResumableResponseBodyInit {
  readonly resume: BodyResumeOptions;
  /**
   * The part of the content that the first response has, before a resumption. `undefined` if the first response has the
   * whole content.
   */
  readonly part: ContentRange | undefined;
  /**
   * The body of the first response, before a resumption. After a lost connection, range requests continue this body.
   */
  readonly source: ByteSource;
}

/**
 * Returns a body that continues at the next byte after a lost connection. If-Range with a strong validator ensures that
 * the content has not changed. RFC 9110 §13.1.5. A response without a strong validator is not resumed. The function
 * `completeness` returns the completeness of the response that the body currently reads.
 */
export function createResumableResponseBody(
  sender: HttpRequestSender,
  first: HttpResponseReader,
  { resume, part, source }: ResumableResponseBodyInit,
): {
  readonly source: ByteSource;
  readonly completeness: () => Completeness;
} {
  const { plan, context } = sender.hop;
  const { responseHead: head } = first;
  let current: HttpResponseReader = first;
  const completeness = (): Completeness => current.completeness;
  const { sendResumeRequest } = plan.phases;
  const validator = head.status < 300 ? findStrongValidator(head) : undefined;
  if (!sendResumeRequest || validator === undefined) return { source, completeness };
  const total = part ? part.total : first.bodyLength;
  const endExclusive = part?.requestedEndExclusive;

  const reopen = async (offset: number): Promise<ByteSource> => {
    // No bytes are missing if the connection was lost after the last byte of the range.
    if (offset === endExclusive) return EMPTY_BYTE_SOURCE;
    const missing = { start: offset, endExclusive };
    const headers = [createRangeHeader(missing), ["if-range", validator]] as const;
    const request = (await sender.createRequestWithCookies()).withHeaders(headers);
    const next = await sender.sendRequest(sendResumeRequest, request);
    try {
      if (next.responseHead.status === 416) {
        if (parseTotalLengthOf416Response(next.responseHead) !== offset)
          throw createContentChangedError("the content on the server is shorter than the received bytes");
        next.releaseOrClose();
        return EMPTY_BYTE_SOURCE;
      }
      const nextPart = await checkResumedResponse(next, missing, head, total, sender.receivedBytes);
      current = next;
      return limit206BodyToRequestedRange(next, nextPart);
    } catch (error) {
      next.releaseOrClose();
      throw error;
    }
  };

  const start = part?.start ?? 0;
  return {
    source: createResumableSource(source, { resume, reopen, signal: context.signal, startOffset: start }),
    completeness,
  };
}

/** A Last-Modified date is a strong validator if the Date header is at least this much later. RFC 9110 §8.8.2.2. */
const MIN_STRONG_VALIDATOR_AGE_MS = 1_000;

/** Returns the strong entity tag or Last-Modified date for If-Range. RFC 9110 §13.1.5. */
function findStrongValidator({ headers }: HttpResponseHead): string | undefined {
  const [tag, anotherTag] = headers["etag"] ?? [];
  if (tag !== undefined)
    return anotherTag === undefined && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag) ? tag : undefined;
  const modified = headers["last-modified"]?.at(-1);
  const date = parseHttpDate(headers["date"]?.at(-1));
  const since = parseHttpDate(modified);
  return since && date && date.getTime() - since.getTime() >= MIN_STRONG_VALIDATOR_AGE_MS
    ? modified
    : undefined;
}

/**
 * Returns the part in a 206 response. Rejects unless the 206 response contains all missing bytes of the same content.
 */
async function checkResumedResponse(
  next: HttpResponseReader,
  missing: Range,
  firstHead: HttpResponseHead,
  total: number | undefined,
  receivedBytes: ReceivedByteCounter,
): Promise<ContentRange> {
  const { responseHead: head } = next;
  if (head.status === 200)
    throw createContentChangedError("the server sends the whole content instead of the missing part");
  if (head.status !== 206)
    throw await (await import("./response/status-error.ts")).readErrorFromHttpResponse(next, receivedBytes);
  const part = requireContentRange(head, missing);
  if (!hasSameRepresentation(firstHead, head))
    throw createContentChangedError("the entity tag or content coding is different");
  if (total !== undefined && part.total !== total)
    throw createContentChangedError(
      `the content has ${part.total ?? "an unknown number of"} bytes, and had ${total} before`,
    );
  if (part.endExclusive !== (missing.endExclusive ?? part.total))
    throw new AccessError("protocol", "the server sent only a part of the requested range");
  return part;
}

function hasSameRepresentation(first: HttpResponseHead, second: HttpResponseHead): boolean {
  return ["etag", "content-encoding"].every(
    (name) => first.headers[name]?.join("\n") === second.headers[name]?.join("\n"),
  );
}
