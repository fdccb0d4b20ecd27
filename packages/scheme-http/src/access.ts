import { AccessError, type ContentResource, type Resource } from "@anyscheme/core";
import type { AccessContext, PlanOptions } from "@anyscheme/core/plugin";
import { RequestSender, type PendingResponse } from "./connection/request-sender.ts";
import type { HttpRequestOptions, HttpsOptions } from "./options.ts";
import type { HttpPlan, TransferPhases } from "./plan.ts";
import { conditionalHeaders } from "./request/conditional.ts";
import { checkRangeAtEnd, EMPTY_SOURCE, parseContentRange, rangeLength, sliceBody } from "./request/range.ts";
import { contentLength } from "./response/body-framing.ts";
import { contentCodings, decodeContent } from "./response/content-encoding.ts";
import { countContent } from "./response/received-bytes.ts";
import { followRedirect } from "./response/redirect.ts";
import { contentMetadata, fetchResponseHead, type HttpResponse } from "./response/response.ts";
import { classifyStatus, statusError } from "./response/status.ts";
import { resumableBody } from "./resume.ts";
import type { HttpUrl } from "./syntax.ts";

/**
 * The content of an http or https URL, with the response of its server. A request with `ifModifiedSince` or
 * `ifNoneMatch` may return a resource of kind `not-modified` with the same `http`.
 */
export type HttpResource = ContentResource & { readonly http: HttpResponse };

type GetPlan = HttpPlan<HttpUrl, TransferPhases>;
type GetOptions = PlanOptions & HttpRequestOptions;

/** Performs a GET. A redirect to another scheme may return a resource of another kind. */
export async function accessHttp(
  plan: GetPlan,
  context: AccessContext,
  options: GetOptions,
  schemeOptions: HttpsOptions,
): Promise<Resource> {
  const sender = new RequestSender(plan, context, schemeOptions);
  const pending = await sender.sendPlanned();
  const { response, exchange } = pending;
  const { range, redirect = "follow", throwHttpErrors = true } = options;
  try {
    const status = classifyStatus(response.status);
    if (status === "redirect" && redirect !== "manual")
      return await followRedirect(plan, context, pending, { redirect });
    if (status === "not-modified" && conditionalHeaders(options).length > 0) {
      exchange.discardBody();
      const { modified } = contentMetadata(response);
      return context.createResource("not-modified", { modified, http: response });
    }
    if (response.status === 416 && range && throwHttpErrors) {
      checkRangeAtEnd(response, range);
      exchange.discardBody();
      return context.createContent({ source: EMPTY_SOURCE, size: 0, extra: { http: response } });
    }
    const isContent = status === "content" || (status === "partial" && range !== undefined);
    const isReturned = status === "redirect" || (!throwHttpErrors && response.status >= 400);
    if (!isContent && !isReturned) throw statusError(pending);
    context.beginStep(plan.phases.transfer);
    // Range and resume concern the requested content, not the page that describes an error.
    const bodyOptions = isContent ? options : { decompress: options.decompress };
    return createContent(pending, sender, plan, context, bodyOptions);
  } catch (error) {
    exchange.discardBody();
    throw error;
  }
}

function createContent(
  pending: PendingResponse,
  sender: RequestSender,
  plan: GetPlan,
  context: AccessContext,
  { range, resume, decompress = true }: GetOptions,
): Resource {
  const { response, framing } = pending;
  const part = range && response.status === 206 ? parseContentRange(response, range) : undefined;
  const codings = decompress ? contentCodings(response) : [];
  if (part && codings.length > 0)
    throw new AccessError(
      "unsupported",
      "the server sent a part of an encoded body, which cannot be decoded",
    );
  const bodyLength = framing === "none" ? 0 : framing === "length" ? contentLength(response) : undefined;
  if (part && bodyLength !== undefined && bodyLength !== part.end - part.start)
    throw new AccessError("protocol", "the Content-Length differs from the length of the Content-Range");
  const decodedLength = codings.length === 0 ? bodyLength : undefined;
  const size = range && !part ? rangeLength(range, decodedLength) : decodedLength;
  const { receivedBytes } = sender;
  const body = resumableBody({ pending, sender, plan, context, resume, part });
  let source = body.source;
  if (codings.length > 0) source = decodeContent(source, codings, context.limits, receivedBytes);
  source = countContent(source, receivedBytes);
  // A server without ranges sends the whole content.
  if (range && !part) source = sliceBody(source, range);
  if (range && size === 0) {
    pending.exchange.discardBody();
    source = EMPTY_SOURCE;
  }
  return context.createContent({
    source,
    size,
    completeness: body.completeness,
    limitReceived: (maxBytes) => receivedBytes.setMax(maxBytes),
    ...contentMetadata(response),
    response: () => fetchResponseHead(response, { isDecoded: codings.length > 0 }),
    extra: { http: response },
  });
}
