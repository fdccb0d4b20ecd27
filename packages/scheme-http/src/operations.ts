import { AccessError, type Stat } from "@anyscheme/core";
import type {
  AccessContext,
  ResultInit,
  ResponseHead,
  UploadStream,
  OperationResult,
  PutResult,
} from "@anyscheme/core/plugin";
import { RequestSender, type ResponseStart } from "./connection/request-sender.ts";
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
  settings: HttpsOptions,
): Promise<ResultInit<HttpStat>> {
  const start = await new RequestSender(plan, context, settings).sendPlanned();
  const { response } = start;
  const { redirect } = options;
  if (classifyStatus(response.status) === "redirect" && redirect !== "manual")
    return followRedirect(plan, context, start, { redirect });
  const result = finish(start, options);
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
  settings: HttpsOptions,
): Promise<OperationResult | { readonly response: ResponseHead }> {
  const start = await new RequestSender(plan, context, settings).sendPlanned();
  if (mustRepeat(start, options))
    return followRedirect(plan, context, start, { redirect: options.redirect, requireSameOrigin: true });
  return finish(start, options);
}

/** Performs a PUT. RFC 9110 §9.3.4. */
export async function putHttp(
  plan: HttpPlan<HttpUrl, TransferPhases>,
  context: AccessContext<PutResult>,
  options: HttpRequestOptions & { readonly upload: UploadStream },
  settings: HttpsOptions,
): Promise<ResultInit<PutResult>> {
  /** `undefined` until the body has been begun. It can be read once only. */
  let bytesWritten: number | undefined;
  const start = await new RequestSender(plan, context, settings).sendPlanned(async (exchange, connection) => {
    if (bytesWritten !== undefined)
      throw new AccessError(
        "authentication-required",
        "the server asked for credentials after the body had been sent",
      );
    bytesWritten = await sendUpload(exchange, connection, plan, context, options.upload);
  });
  if (mustRepeat(start, options)) {
    if (bytesWritten !== undefined)
      throw new AccessError("refused-redirect", "the server redirected after the body had been sent");
    return followRedirect(plan, context, start, { redirect: options.redirect, requireSameOrigin: true });
  }
  return { bytesWritten: bytesWritten ?? 0, ...finish(start, options) };
}

/** True when the operation must be repeated at another URL. A 303 means that it was performed (RFC 9110 §15.4.4). */
function mustRepeat({ response: { status } }: ResponseStart, { redirect }: HttpRequestOptions): boolean {
  return classifyStatus(status) === "redirect" && status !== 303 && redirect !== "manual";
}

/** Returns the response. Throws for a status that is no success, unless the options ask for the response itself. */
function finish(
  start: ResponseStart,
  { throwHttpErrors = true, redirect }: HttpRequestOptions,
): { response: ResponseHead } {
  const { response, exchange } = start;
  exchange.discardBody();
  const { status } = response;
  const statusClass = classifyStatus(status);
  const isReturned =
    (!throwHttpErrors && status >= 400) || (redirect === "manual" && statusClass === "redirect");
  if (statusClass !== "content" && status !== 303 && !isReturned) throw statusError(start);
  return { response: fetchResponseHead(response, { isDecoded: false }) };
}
