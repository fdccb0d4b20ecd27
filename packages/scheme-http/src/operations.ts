import { AccessError, type Stat } from "@anyscheme/core";
import type {
  AccessContext,
  ResultInit,
  ResponseHead,
  UploadStream,
  OperationResult,
  PutResult,
} from "@anyscheme/core/plugin";
import { RequestSender, type PendingResponse } from "./connection/request-sender.ts";
import type { HttpRequestOptions, HttpsOptions } from "./options.ts";
import type { HttpPlan, TransferPhases } from "./plan.ts";
import { sendUpload } from "./request/upload.ts";
import { contentLength } from "./response/body-framing.ts";
import { contentCodings } from "./response/content-encoding.ts";
import { followRedirect } from "./response/redirect.ts";
import { contentMetadata, fetchResponseHead, type HttpResponse } from "./response/response.ts";
import { classifyStatus, statusError } from "./response/status.ts";
import type { HttpUrl } from "./syntax.ts";

/** The result of a HEAD request. */
export type HttpStat = Stat & { readonly http: HttpResponse };

/** Requests the headers of a resource with HEAD. RFC 9110 §9.3.2. */
export async function statHttp(
  plan: HttpPlan,
  context: AccessContext<HttpStat>,
  options: HttpRequestOptions,
  schemeOptions: HttpsOptions,
): Promise<ResultInit<HttpStat>> {
  const pending = await new RequestSender(plan, context, schemeOptions).sendPlanned();
  const { response } = pending;
  const { redirect } = options;
  if (classifyStatus(response.status) === "redirect" && redirect !== "manual")
    return followRedirect(plan, context, pending, { redirect });
  const result = finish(pending, options);
  const kind = response.status < 300 ? "content" : "unknown";
  const hasSize = kind === "content" && contentCodings(response).length === 0;
  const size = hasSize ? contentLength(response) : undefined;
  return { kind, size, ...contentMetadata(response), http: response, ...result };
}

/** Performs a DELETE. RFC 9110 §9.3.5. */
export async function deleteHttp(
  plan: HttpPlan,
  context: AccessContext<OperationResult>,
  options: HttpRequestOptions,
  schemeOptions: HttpsOptions,
): Promise<OperationResult | { readonly response: ResponseHead }> {
  const pending = await new RequestSender(plan, context, schemeOptions).sendPlanned();
  if (mustRepeat(pending, options))
    return followRedirect(plan, context, pending, { redirect: options.redirect, requireSameOrigin: true });
  return finish(pending, options);
}

/** Performs a PUT. RFC 9110 §9.3.4. */
export async function putHttp(
  plan: HttpPlan<HttpUrl, TransferPhases>,
  context: AccessContext<PutResult>,
  options: HttpRequestOptions & { readonly upload: UploadStream },
  schemeOptions: HttpsOptions,
): Promise<ResultInit<PutResult>> {
  /** `undefined` until the first read of the body. A body can be read only once. */
  let bytesWritten: number | undefined;
  const pending = await new RequestSender(plan, context, schemeOptions).sendPlanned(
    async (exchange, connection) => {
      if (bytesWritten !== undefined)
        throw new AccessError(
          "authentication-required",
          "the server asked for credentials after the body had been sent",
        );
      bytesWritten = await sendUpload(exchange, connection, plan, context, options.upload);
    },
  );
  if (mustRepeat(pending, options)) {
    if (bytesWritten !== undefined)
      throw new AccessError("refused-redirect", "the server redirected after the body had been sent");
    return followRedirect(plan, context, pending, { redirect: options.redirect, requireSameOrigin: true });
  }
  return { bytesWritten: bytesWritten ?? 0, ...finish(pending, options) };
}

/**
 * True when the operation must be repeated at another URL. A 303 means that the operation was performed (RFC 9110
 * §15.4.4).
 */
function mustRepeat({ response: { status } }: PendingResponse, { redirect }: HttpRequestOptions): boolean {
  return classifyStatus(status) === "redirect" && status !== 303 && redirect !== "manual";
}

/** Returns the response. Throws for an unsuccessful status, unless `throwHttpErrors` or `redirect` allows it. */
function finish(
  pending: PendingResponse,
  { throwHttpErrors = true, redirect }: HttpRequestOptions,
): { response: ResponseHead } {
  const { response, exchange } = pending;
  exchange.discardBody();
  const { status } = response;
  const statusClass = classifyStatus(status);
  const isReturned =
    (!throwHttpErrors && status >= 400) || (redirect === "manual" && statusClass === "redirect");
  if (statusClass !== "content" && status !== 303 && !isReturned) throw statusError(pending);
  return { response: fetchResponseHead(response, { isDecoded: false }) };
}
