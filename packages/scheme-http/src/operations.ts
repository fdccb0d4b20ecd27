import { AccessError, type Stat } from "@anyscheme/core";
import type {
  AccessContext,
  OperationResultInit,
  ResponseHead,
  UploadStream,
  OperationResult,
  PutResult,
} from "@anyscheme/core/plugin";
import type { HttpExchange } from "./connection/exchange.ts";
import { RequestSender } from "./connection/request-sender.ts";
import type { HttpRequestOptions, HttpsOptions } from "./options.ts";
import type { HttpPlan } from "./plan.ts";
import { RequestBody } from "./request/body.ts";
import { followHttpRedirect } from "./response/redirect.ts";
import {
  classifyStatus,
  parseContentCodings,
  parseContentMetadata,
  toFetchResponseHead,
  type HttpResponse,
} from "./response/response.ts";
import { createCredentialsAfterBodyError, createStatusError } from "./response/status-error.ts";

/** The result of a HEAD request. */
export type HttpStat = Stat & { readonly httpResponse: HttpResponse };

/** Requests the headers of a resource with HEAD. RFC 9110 §9.3.2. */
export async function performHttpHead(
  plan: HttpPlan,
  context: AccessContext<HttpStat>,
  options: HttpRequestOptions,
  schemeOptions: HttpsOptions,
): Promise<OperationResultInit<HttpStat>> {
  const exchange = await new RequestSender(plan, context, schemeOptions).sendPlannedRequest();
  const { response } = exchange;
  const { redirect } = options;
  if (classifyStatus(response.status) === "redirect" && redirect !== "manual")
    return followHttpRedirect(plan, context, exchange, { redirect });
  const head = discardBodyAndCheckStatus(exchange, options);
  const kind = response.status < 300 ? "content" : "unknown";
  const [length] = response.headers["content-length"] ?? [];
  const hasSize = length !== undefined && kind === "content" && parseContentCodings(response).length === 0;
  const size = hasSize ? Number(length) : undefined;
  return { kind, size, ...parseContentMetadata(response), httpResponse: response, response: head };
}

/** Performs a DELETE. RFC 9110 §9.3.5. */
export async function performHttpDelete(
  plan: HttpPlan,
  context: AccessContext<OperationResult>,
  options: HttpRequestOptions,
  schemeOptions: HttpsOptions,
): Promise<OperationResult | { readonly response: ResponseHead }> {
  const exchange = await new RequestSender(plan, context, schemeOptions).sendPlannedRequest();
  if (mustFollowRedirect(exchange, options))
    return followHttpRedirect(plan, context, exchange, {
      redirect: options.redirect,
      requireSameOrigin: true,
    });
  return { response: discardBodyAndCheckStatus(exchange, options) };
}

/** Performs a PUT. RFC 9110 §9.3.4. */
export async function performHttpPut(
  plan: HttpPlan,
  context: AccessContext<PutResult>,
  options: HttpRequestOptions & { readonly upload: UploadStream },
  schemeOptions: HttpsOptions,
): Promise<OperationResultInit<PutResult>> {
  const body = RequestBody.fromUpload(options.upload);
  const sender = new RequestSender(plan, context, schemeOptions, body);
  const exchange = await sender.sendPlannedRequest();
  if (sender.isBodyMissing && options.throwHttpErrors !== false)
    throw createCredentialsAfterBodyError(exchange);
  if (mustFollowRedirect(exchange, options)) {
    if (!sender.canSendBodyAgain) {
      exchange.discardBody();
      throw new AccessError("refused-redirect", "the server redirected after the body had been sent");
    }
    return followHttpRedirect(plan, context, exchange, {
      redirect: options.redirect,
      requireSameOrigin: true,
    });
  }
  return { bytesWritten: sender.sentBytes ?? 0, response: discardBodyAndCheckStatus(exchange, options) };
}

/**
 * True when the response redirects the operation to another URL. Status 303 means that the server has performed the
 * operation (RFC 9110 §15.4.4).
 */
function mustFollowRedirect(
  { response: { status } }: HttpExchange,
  { redirect }: HttpRequestOptions,
): boolean {
  return classifyStatus(status) === "redirect" && status !== 303 && redirect !== "manual";
}

/**
 * Discards the body, and returns the head of the response. Throws for an unsuccessful status, unless the options
 * `throwHttpErrors` or `redirect` allow the status.
 */
function discardBodyAndCheckStatus(
  exchange: HttpExchange,
  { throwHttpErrors = true, redirect }: HttpRequestOptions,
): ResponseHead {
  const { response } = exchange;
  exchange.discardBody();
  const { status } = response;
  const statusClass = classifyStatus(status);
  const isReturned =
    (!throwHttpErrors && status >= 400) || (redirect === "manual" && statusClass === "redirect");
  if (statusClass !== "content" && status !== 303 && !isReturned) throw createStatusError(exchange);
  return toFetchResponseHead(response, { isDecoded: false });
}
