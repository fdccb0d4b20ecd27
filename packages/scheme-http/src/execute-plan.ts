import { AccessError, type ContentResource, type Resource } from "@anyscheme/core";
import { EMPTY_BYTE_SOURCE } from "@anyscheme/core/io";
import type { PlanOptions } from "@anyscheme/core/plugin";
import type { HttpResponseReader } from "./connection/http-exchange.ts";
import type { HttpHopInputs } from "./http-hop-inputs.ts";
import { HttpRequestSender } from "./connection/http-request-sender.ts";
import {
  checkRefusedRangeStartsAtEnd,
  requireContentRange,
  computeRangeLength,
  limit206BodyToRequestedRange,
  sliceWholeContent,
} from "./request/range.ts";
import { decodeContent, isKnownCoding } from "./response/content-encoding.ts";
import { followHttpRedirect } from "./response/redirect.ts";
import {
  classifyResponseStatus,
  parseContentCodings,
  parseContentTypeAndLastModified,
  toFetchResponseHead,
  type HttpResponseHead,
} from "./response/response-head.ts";

/**
 * The content of an http or https URL. The property `httpResponse` is the head of the server's response. A request with
 * `ifModifiedSince` or `ifNoneMatch` may return a resource of kind `not-modified`, which also has `httpResponse`.
 */
export type HttpContentResource = ContentResource & { readonly httpResponse: HttpResponseHead };

/** Executes the plan of a request. A redirect to another scheme may return a resource of another kind. */
export async function executeHttpPlan(hop: HttpHopInputs<Resource>): Promise<Resource> {
  const { plan, context, requestOptions } = hop;
  const sender = new HttpRequestSender(hop);
  let reader: HttpResponseReader;
  if (context.cache) {
    // Most clients have no cache, so the code of the cache is loaded on first use.
    const { sendThroughCache } = await import("./cache/http-cache.ts");
    reader = await sendThroughCache(sender);
  } else {
    reader = await sender.sendPlannedRequest();
  }
  const { responseHead: head } = reader;
  const { range, redirect = "follow", throwHttpErrors = true, ifModifiedSince, ifNoneMatch } = requestOptions;
  try {
    const outcome = classifyResponseStatus(head.status);
    if (sender.hasCredentialsButNoBody && throwHttpErrors)
      throw (await import("./response/status-error.ts")).createUnrepeatableBody401Error(reader);
    const hasTarget = throwHttpErrors || head.headers["location"] !== undefined;
    if (outcome === "redirect" && redirect !== "manual" && hasTarget)
      return await followHttpRedirect(hop, reader);
    if (outcome === "not-modified" && (ifModifiedSince !== undefined || ifNoneMatch !== undefined)) {
      reader.releaseOrClose();
      const { modified } = parseContentTypeAndLastModified(head);
      return context.createResource("not-modified", { modified, httpResponse: head });
    }
    if (head.status === 416 && range && throwHttpErrors) {
      checkRefusedRangeStartsAtEnd(head, range);
      reader.releaseOrClose();
      return context.createContent({
        source: EMPTY_BYTE_SOURCE,
        size: 0,
        totalSize: range.start,
        schemeProperties: { httpResponse: head },
      });
    }
    const isContent = outcome === "content" || (outcome === "partial" && range !== undefined);
    const isReturned = outcome === "redirect" || !throwHttpErrors;
    if (!isContent && !isReturned) {
      const { readErrorFromHttpResponse } = await import("./response/status-error.ts");
      throw await readErrorFromHttpResponse(reader, sender.receivedBytes, requestOptions.decompress);
    }
    if (plan.phases.transfer) context.beginStep(plan.phases.transfer);
    // The options range and resume apply to the requested content, not to the body of an error response.
    return await createHttpContent(sender, reader, isContent ? requestOptions : {});
  } catch (error) {
    reader.releaseOrClose();
    throw error;
  }
}

async function createHttpContent(
  sender: HttpRequestSender,
  reader: HttpResponseReader,
  { range, resume }: Pick<PlanOptions, "range" | "resume">,
): Promise<Resource> {
  const { hop, receivedBytes } = sender;
  const { plan, context, requestOptions } = hop;
  const { decompress = true, throwHttpErrors = true } = requestOptions;
  const { responseHead: head, bodyLength } = reader;
  const part = range && head.status === 206 ? requireContentRange(head, range) : undefined;
  // The headers of a response to HEAD describe a body that the server does not send.
  const sentCodings = decompress && plan.request.method !== "HEAD" ? parseContentCodings(head) : [];
  // A caller that sets `throwHttpErrors: false` also gets a body in an unknown content coding, without decoding.
  const codings = throwHttpErrors || sentCodings.every(isKnownCoding) ? sentCodings : [];
  if (part && codings.length > 0)
    throw new AccessError(
      "unsupported",
      "the server sent a part of an encoded body, which cannot be decoded",
    );
  if (part && bodyLength !== undefined && bodyLength !== part.endExclusive - part.start)
    throw new AccessError("protocol", "the Content-Length differs from the length of the Content-Range");
  const decodedLength = codings.length === 0 ? bodyLength : undefined;
  const size = part
    ? part.requestedEndExclusive - part.start
    : range
      ? computeRangeLength(range, decodedLength)
      : decodedLength;
  const received = part ? limit206BodyToRequestedRange(reader, part) : reader;
  const body = resume
    ? (await import("./resume-response-body.ts")).createResumableResponseBody(sender, reader, {
        resume,
        part,
        source: received,
      })
    : { source: received, completeness: reader.completeness };
  let { source } = body;
  if (codings.length > 0) source = decodeContent(source, codings, receivedBytes);
  // A server that does not support the Range header sends the whole content.
  if (range && !part) source = sliceWholeContent(source, range);
  if (range && size === 0) {
    reader.releaseOrClose();
    source = EMPTY_BYTE_SOURCE;
  }
  return context.createContent({
    source,
    size,
    totalSize: part ? part.total : decodedLength,
    completeness: body.completeness,
    limitReceivedBytes: (maxBytes) => receivedBytes.setMaxTotalBytes(maxBytes),
    ...parseContentTypeAndLastModified(head),
    response: () => toFetchResponseHead(head, { isDecoded: codings.length > 0 }),
    schemeProperties: { httpResponse: head },
  });
}
