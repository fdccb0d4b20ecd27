import { AccessError, type OperationResult, type Stat, type PutResult } from "@anyscheme/core";
import type { AccessContext, ResultInit, ResponseHead } from "@anyscheme/core/plugin";
import { contentCodings } from "./response/content-encoding.ts";
import { type ResponseStart, RequestSender } from "./connection/request-sender.ts";
import { contentLength } from "./response/body-framing.ts";
import type { HttpRequestOptions, HttpsOptions } from "./options.ts";
import type { HttpPlan } from "./plan.ts";
import { followRedirect } from "./response/redirect.ts";
import { contentMetadata, type HttpResponse, fetchResponseHead } from "./response/response.ts";
import { classifyStatus, statusError } from "./response/status.ts";
import { sendBody, type PutBody } from "./request/upload.ts";

/** What HEAD tells. */
export type HttpStat = Stat & { readonly http: HttpResponse };

/** Asks for the fields of a content. RFC 9110 §9.3.2. */
export async function statHttp(
  plan: HttpPlan,
  context: AccessContext<HttpStat>,
  options: HttpRequestOptions,
  settings: HttpsOptions,
): Promise<ResultInit<HttpStat>> {
  const answer = await new RequestSender(plan, context, settings).send();
  const { response } = answer;
  const { redirects } = options;
  if (classifyStatus(response.status) === "redirect" && redirects !== "return")
    return followRedirect(plan, context, answer, { refuse: redirects === "refuse" });
  const given = accepted(answer, options);
  const kind = response.status < 300 ? "content" : "unknown";
  const isSized = kind === "content" && contentCodings(response).length === 0;
  const size = isSized ? contentLength(response) : undefined;
  return { kind, size, ...contentMetadata(response), http: response, ...given };
}

/** RFC 9110 §9.3.5. */
export async function deleteHttp(
  plan: HttpPlan,
  context: AccessContext<OperationResult>,
  options: HttpRequestOptions,
  settings: HttpsOptions,
): Promise<OperationResult | { readonly response: ResponseHead }> {
  const answer = await new RequestSender(plan, context, settings).send();
  if (leadsOn(answer, options))
    return followRedirect(plan, context, answer, {
      refuse: options.redirects === "refuse",
      sameOrigin: true,
    });
  return accepted(answer, options);
}

/** RFC 9110 §9.3.4. */
export async function putHttp(
  plan: HttpPlan,
  context: AccessContext<PutResult>,
  options: HttpRequestOptions & PutBody,
  settings: HttpsOptions,
): Promise<ResultInit<PutResult>> {
  let bytes = 0;
  let begun = false;
  const conversation = new RequestSender(plan, context, settings);
  const answer = await conversation.send(undefined, async (exchange, connection) => {
    if (begun)
      throw new AccessError(
        "authentication-required",
        "the server asked for credentials when the content was gone already",
      );
    bytes = await sendBody(exchange, connection, plan, context, options, () => {
      begun = true;
    });
  });
  if (leadsOn(answer, options)) {
    if (begun)
      throw new AccessError("refused-redirect", "the server redirected when the content was gone already");
    return followRedirect(plan, context, answer, {
      refuse: options.redirects === "refuse",
      sameOrigin: true,
    });
  }
  return { bytesWritten: bytes, ...accepted(answer, options) };
}

// RFC 9110 §15.4.4: a 303 tells that the request was performed, and where to read about it.
function leadsOn({ response: { status } }: ResponseStart, { redirects }: HttpRequestOptions): boolean {
  return classifyStatus(status) === "redirect" && status !== 303 && redirects !== "return";
}

/** What the server answered. Throws for an answer that does not say that the request was performed, unless the caller wants it. */
function accepted(
  answer: ResponseStart,
  { httpErrors, redirects }: HttpRequestOptions,
): { response: ResponseHead } {
  const { response, exchange } = answer;
  exchange.discardBody();
  const { status } = response;
  const meaning = classifyStatus(status);
  const wanted =
    (httpErrors === "return" && status >= 400) || (redirects === "return" && meaning === "redirect");
  if (meaning !== "content" && status !== 303 && !wanted) throw statusError(answer);
  return { response: fetchResponseHead(response, false) };
}
