import { AccessError, type Plan, type PlanOptions, type PutOptions, type Step } from "@anyscheme/core";
import {
  type AccessContext,
  connectSteps,
  expectStep,
  makePlan,
  tlsStep,
  sendStep,
  step,
} from "@anyscheme/core/plugin";
import { ACCEPT_ENCODING } from "./response/content-encoding.ts";
import { conditionalHeaders } from "./request/conditional.ts";
import type { HttpRequestOptions, HttpOptions } from "./options.ts";
import { rangeHeader } from "./request/range.ts";
import { validateHeader, type Header, HttpRequest, type Method } from "./request/request.ts";
import type { HttpUrl } from "./syntax.ts";

/** A plan for http or https, with the request that its `send` step puts on the wire. */
export interface HttpPlan<U extends HttpUrl = HttpUrl> extends Plan<U> {
  readonly request: HttpRequest;
}

/** What an access method has of the world, whatever the operation is. */
export type Context = Omit<AccessContext, "redirectTo">;

/** When a request for the rest of a content is sent: when the connection has broken before its end. */
export const NO_END = "no end";

/** The steps that are the same in every plan. */
const ANSWER = expectStep(["2", "3"], "RFC 9112 4", "a status line and header fields");
const AUTHORIZED = sendStep(undefined, "RFC 9110 11.6", "the request, with the user's credentials", {
  onReply: "401",
});
const REFER = step("redirect", "RFC 9110 15.4", "the URL in the Location field", "3");
const REST = sendStep(undefined, "RFC 9110 14.2", "the request, from the byte that was reached", {
  onReply: NO_END,
});
const CONTENT = step("transfer", "RFC 9112 6", "the content of the response", "2");
const UPLOAD = step("transfer", "RFC 9110 10.1.1", "the content of the request", "100");
const CLOSE = step("close", "RFC 9112 9.6", "the connection, or keep it for another request");

/**
 * RFC 1738 §3.3: "The HTTP protocol is specified elsewhere", which is now RFC 9110 and RFC 9112. Throws `refused-characters` for
 * a header field that may not be sent; path and search are sent as they are written, so that nothing in them can be refused.
 */
export function planHttp<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions,
  settings: HttpOptions = {},
): HttpPlan<U> {
  const { range, resume, raw } = options;
  // A part is counted in bytes of the content, and what goes on where it broke off has to be the same bytes again.
  const codings = range || resume ? "identity" : ACCEPT_ENCODING;
  const fields = [...conditionalHeaders(options), ...(range ? [rangeHeader(range)] : [])];
  const request = requestOf("GET", url, options, settings, { codings, fields, raw });
  return planOf(url, request, options, resume ? [REST, CONTENT] : [CONTENT]);
}

/** HEAD: the fields of a GET without its content. RFC 9110 §9.3.2. */
export function planStat<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions,
  settings?: HttpOptions,
): HttpPlan<U> {
  return planOf(url, requestOf("HEAD", url, options, settings), options);
}

/** RFC 9110 §9.3.5. */
export function planDelete<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions,
  settings?: HttpOptions,
): HttpPlan<U> {
  return planOf(url, requestOf("DELETE", url, options, settings), options);
}

/**
 * RFC 9110 §9.3.4. The content goes out when the server has said that it wants it (§10.1.1), so that it is still there for a
 * redirect or a request with credentials. Throws `unsupported` for a part of the content: §14.5 leaves that to agreement.
 */
export function planPut<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions & PutOptions,
  settings?: HttpOptions,
): HttpPlan<U> {
  const { at, atomic, mediaType, size } = options;
  if (at !== undefined && at !== 0)
    throw new AccessError(
      "unsupported",
      "http has no way to write a part of a content that every server knows",
    );
  if (atomic)
    throw new AccessError("unsupported", "http does not say whether a server replaces a content at once");
  const framing: Header =
    size === undefined ? ["transfer-encoding", "chunked"] : ["content-length", String(size)];
  const type = mediaType === undefined ? [] : [validateHeader("content-type", mediaType)];
  // RFC 9110 §10.1.1: no expectation without content.
  const expectation: Header[] = size === 0 ? [] : [["expect", "100-continue"]];
  const fields: Header[] = [...type, framing, ...expectation];
  return planOf(url, requestOf("PUT", url, options, settings, { fields }), options, [UPLOAD]);
}

/** The step of this kind, noted as the one that is being performed. */
export function enter(
  { steps }: Plan,
  context: Pick<AccessContext, "beginStep">,
  action: Step["action"],
): Step | undefined {
  for (const step of steps) {
    if (step.action !== action) continue;
    context.beginStep(step);
    return step;
  }
  return undefined;
}

function requestOf(
  method: Method,
  url: HttpUrl,
  { headers }: HttpRequestOptions,
  { userAgent }: HttpOptions = {},
  own: { codings?: string; raw?: boolean | undefined; fields?: readonly Header[] } = {},
): HttpRequest {
  const { codings, raw, fields } = own;
  return HttpRequest.create(url, {
    method,
    userAgent,
    headers,
    acceptEncoding: codings,
    allowAcceptEncoding: raw,
    ownHeaders: fields,
  });
}

function planOf<U extends HttpUrl>(
  url: U,
  request: HttpRequest,
  { headers }: HttpRequestOptions,
  transfer: readonly Step[] = [],
): HttpPlan<U> {
  const { line } = request;
  const steps = [
    ...connectSteps(url),
    ...(url.scheme === "https" ? [tlsStep(url, "RFC 9110 4.2.2")] : []),
    // Whatever a caller adds to the request may be meant for one server only.
    sendStep(request.bytes, "RFC 9112 3", `${line} HTTP/1.1`, { secret: headers !== undefined }),
    ANSWER,
    AUTHORIZED,
    REFER,
    ...transfer,
    CLOSE,
  ];
  return makePlan(url, steps, { request });
}
