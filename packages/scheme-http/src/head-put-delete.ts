import { AccessError, type Stat } from "@anyscheme/core";
import type {
  OperationResult,
  OperationResultInit,
  PutResult,
  ResponseHead,
  UploadChunksAndSize,
} from "@anyscheme/core/plugin";
import type { HttpResponseReader } from "./connection/http-exchange.ts";
import type { HttpHopInputs } from "./http-hop-inputs.ts";
import { HttpRequestSender } from "./connection/http-request-sender.ts";
import type { HttpRequestOptions } from "./scheme-options.ts";
import { RequestBodyWithType } from "./request/request-body.ts";
import { followHttpRedirect } from "./response/redirect.ts";
import {
  classifyResponseStatus,
  parseContentCodings,
  parseContentTypeAndLastModified,
  toFetchResponseHead,
  type HttpResponseHead,
} from "./response/response-head.ts";
import { createUnrepeatableBody401Error, readErrorFromHttpResponse } from "./response/status-error.ts";

/** The result of a HEAD request. */
export type HttpStat = Stat & { readonly httpResponse: HttpResponseHead };

/** Requests the headers of a resource with HEAD. RFC 9110 §9.3.2. */
export async function performHttpHead(hop: HttpHopInputs<HttpStat>): Promise<OperationResultInit<HttpStat>> {
  const sender = new HttpRequestSender(hop);
  const reader = await sendHead(sender);
  const { responseHead: head } = reader;
  const { redirect } = hop.requestOptions;
  if (classifyResponseStatus(head.status) === "redirect" && redirect !== "manual")
    return followHttpRedirect(hop, reader);
  const response = await checkStatusAndDiscardBody(reader, sender);
  const kind = head.status < 300 ? "content" : "unknown";
  const [length] = head.headers["content-length"] ?? [];
  const hasSize = length !== undefined && kind === "content" && parseContentCodings(head).length === 0;
  const size = hasSize ? Number(length) : undefined;
  return {
    kind,
    size,
    ...parseContentTypeAndLastModified(head),
    httpResponse: head,
    response,
  };
}

/** Sends HEAD. The cache answers a HEAD request only in the modes `force-cache` and `only-if-cached`. */
async function sendHead(sender: HttpRequestSender): Promise<HttpResponseReader> {
  const { cache } = sender.hop.requestOptions;
  if (cache !== "force-cache" && cache !== "only-if-cached") return sender.sendPlannedRequest();
  const { sendThroughCache } = await import("./cache/http-cache.ts");
  return sendThroughCache(sender);
}

/** Performs a DELETE. RFC 9110 §9.3.5. */
export async function performHttpDelete(
  hop: HttpHopInputs<OperationResult>,
): Promise<OperationResult | { readonly response: ResponseHead }> {
  const sender = new HttpRequestSender(hop);
  const reader = await sender.sendPlannedRequest();
  if (mustFollowRedirect(reader, hop.requestOptions))
    return followHttpRedirect(hop, reader, { requireSameOrigin: true });
  return { response: await checkStatusAndDiscardBody(reader, sender) };
}

/** Performs a PUT. RFC 9110 §9.3.4. */
export async function performHttpPut(
  hop: HttpHopInputs<PutResult>,
  upload: UploadChunksAndSize,
): Promise<OperationResultInit<PutResult>> {
  const sender = new HttpRequestSender(hop, RequestBodyWithType.fromUpload(upload));
  const reader = await sender.sendPlannedRequest();
  if (sender.hasCredentialsButNoBody && hop.requestOptions.throwHttpErrors !== false)
    throw createUnrepeatableBody401Error(reader);
  if (mustFollowRedirect(reader, hop.requestOptions)) {
    if (!sender.canSendBodyAgain) {
      reader.releaseOrClose();
      throw new AccessError("refused-redirect", "the server redirected after the body had been sent");
    }
    return followHttpRedirect(hop, reader, { requireSameOrigin: true });
  }
  const response = await checkStatusAndDiscardBody(reader, sender);
  return { bytesWritten: sender.sentBodyBytes ?? 0, response };
}

/**
 * True for a redirect that PUT or DELETE follows. Status 303 is no such redirect, because it means that the server has
 * performed the operation. RFC 9110 §15.4.4.
 */
function mustFollowRedirect(
  { responseHead: { status } }: HttpResponseReader,
  { redirect }: HttpRequestOptions,
): boolean {
  return classifyResponseStatus(status) === "redirect" && status !== 303 && redirect !== "manual";
}

/**
 * Discards the body of the response, and returns the head of the response. Throws for an unsuccessful status, unless
 * the options `throwHttpErrors` or `redirect` allow it. The thrown error contains the beginning of the body of the
 * response.
 */
async function checkStatusAndDiscardBody(
  reader: HttpResponseReader,
  { hop, receivedBytes }: HttpRequestSender,
): Promise<ResponseHead> {
  const { throwHttpErrors = true, redirect } = hop.requestOptions;
  const { responseHead: head } = reader;
  const { status } = head;
  const outcome = classifyResponseStatus(status);
  const isReturned = (!throwHttpErrors && status >= 400) || (redirect === "manual" && outcome === "redirect");
  if (outcome !== "content" && status !== 303 && !isReturned)
    throw await readErrorFromHttpResponse(reader, receivedBytes);
  reader.releaseOrClose();
  return toFetchResponseHead(head, { isDecoded: false });
}
