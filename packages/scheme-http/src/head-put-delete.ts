import { AccessError, type Stat } from "@anyscheme/core";
import type {
  AccessContext,
  OperationResultInit,
  ResponseHead,
  UploadChunksAndSize,
  OperationResult,
  PlanOptions,
  PutResult,
} from "@anyscheme/core/plugin";
import type { HttpResponseReader } from "./connection/http-exchange.ts";
import { RequestSender } from "./connection/request-sender.ts";
import type { HttpRequestOptions, HttpsOptions } from "./options.ts";
import type { HttpPlan } from "./plan.ts";
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
export async function performHttpHead(
  plan: HttpPlan,
  context: AccessContext<HttpStat>,
  options: PlanOptions & HttpRequestOptions,
  schemeOptions: HttpsOptions,
): Promise<OperationResultInit<HttpStat>> {
  const sender = new RequestSender(plan, context, schemeOptions);
  const exchange = await sendHead(sender, plan, context, options, schemeOptions);
  const { responseHead: response } = exchange;
  const { redirect } = options;
  if (classifyResponseStatus(response.status) === "redirect" && redirect !== "manual")
    return followHttpRedirect(plan, context, exchange, { redirect });
  const head = await checkStatusAndDiscardBody(exchange, options, sender);
  const kind = response.status < 300 ? "content" : "unknown";
  const [length] = response.headers["content-length"] ?? [];
  const hasSize = length !== undefined && kind === "content" && parseContentCodings(response).length === 0;
  const size = hasSize ? Number(length) : undefined;
  return {
    kind,
    size,
    ...parseContentTypeAndLastModified(response),
    httpResponse: response,
    response: head,
  };
}

/** Sends HEAD. The cache answers a HEAD request only in the modes `force-cache` and `only-if-cached`. */
async function sendHead(
  sender: RequestSender,
  plan: HttpPlan,
  context: AccessContext<HttpStat>,
  options: PlanOptions & HttpRequestOptions,
  schemeOptions: HttpsOptions,
): Promise<HttpResponseReader> {
  if (options.cache !== "force-cache" && options.cache !== "only-if-cached")
    return sender.sendPlannedRequest();
  const { sendThroughCache } = await import("./cache/http-cache.ts");
  return sendThroughCache(sender, plan, context, options, schemeOptions);
}

/** Performs a DELETE. RFC 9110 §9.3.5. */
export async function performHttpDelete(
  plan: HttpPlan,
  context: AccessContext<OperationResult>,
  options: HttpRequestOptions,
  schemeOptions: HttpsOptions,
): Promise<OperationResult | { readonly response: ResponseHead }> {
  const sender = new RequestSender(plan, context, schemeOptions);
  const exchange = await sender.sendPlannedRequest();
  if (mustFollowRedirect(exchange, options))
    return followHttpRedirect(plan, context, exchange, {
      redirect: options.redirect,
      requireSameOrigin: true,
    });
  return { response: await checkStatusAndDiscardBody(exchange, options, sender) };
}

/** Performs a PUT. RFC 9110 §9.3.4. */
export async function performHttpPut(
  plan: HttpPlan,
  context: AccessContext<PutResult>,
  options: HttpRequestOptions & { readonly upload: UploadChunksAndSize },
  schemeOptions: HttpsOptions,
): Promise<OperationResultInit<PutResult>> {
  const body = RequestBodyWithType.fromUpload(options.upload);
  const sender = new RequestSender(plan, context, schemeOptions, body);
  const exchange = await sender.sendPlannedRequest();
  if (sender.hasCredentialsButNoBody && options.throwHttpErrors !== false)
    throw createUnrepeatableBody401Error(exchange);
  if (mustFollowRedirect(exchange, options)) {
    if (!sender.canSendBodyAgain) {
      exchange.releaseOrClose();
      throw new AccessError("refused-redirect", "the server redirected after the body had been sent");
    }
    return followHttpRedirect(plan, context, exchange, {
      redirect: options.redirect,
      requireSameOrigin: true,
    });
  }
  const response = await checkStatusAndDiscardBody(exchange, options, sender);
  return { bytesWritten: sender.sentBodyBytes ?? 0, response };
}

/** False for status 303, which means that the server has performed the operation. RFC 9110 §15.4.4. */
function mustFollowRedirect(
  { responseHead: { status } }: HttpResponseReader,
  { redirect }: HttpRequestOptions,
): boolean {
  return classifyResponseStatus(status) === "redirect" && status !== 303 && redirect !== "manual";
}

/**
 * Discards the body, and returns the head of the response. Throws for an unsuccessful status, unless the options
 * `throwHttpErrors` or `redirect` allow it. The error contains the beginning of the body.
 */
async function checkStatusAndDiscardBody(
  exchange: HttpResponseReader,
  { throwHttpErrors = true, redirect }: HttpRequestOptions,
  { receivedBytes }: RequestSender,
): Promise<ResponseHead> {
  const { responseHead: response } = exchange;
  const { status } = response;
  const kindOrErrorCode = classifyResponseStatus(status);
  const isReturned =
    (!throwHttpErrors && status >= 400) || (redirect === "manual" && kindOrErrorCode === "redirect");
  if (kindOrErrorCode !== "content" && status !== 303 && !isReturned)
    throw await readErrorFromHttpResponse(exchange, receivedBytes);
  exchange.releaseOrClose();
  return toFetchResponseHead(response, { isDecoded: false });
}
