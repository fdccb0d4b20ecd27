import { AccessError, type Plan, type Step } from "@anyscheme/core";
import {
  connectSteps,
  expectStep,
  makePlan,
  tlsStep,
  sendStep,
  step,
  type PlanOptions,
  type PutOptions,
} from "@anyscheme/core/plugin";
import type { HttpRequestOptions, HttpOptions } from "./options.ts";
import { conditionalHeaders } from "./request/conditional.ts";
import { rangeHeader } from "./request/range.ts";
import { type Header, HttpRequest, validateHeader } from "./request/request.ts";
import { ACCEPT_ENCODING } from "./response/content-encoding.ts";
import type { HttpUrl } from "./syntax.ts";

/** A plan for an http or https URL, with the request and the phases. */
export interface HttpPlan<U extends HttpUrl = HttpUrl, P extends HttpPhases = HttpPhases> extends Plan<U> {
  /** The request that the step `phases.send` sends. */
  readonly request: HttpRequest;
  readonly phases: P;
}

/** The steps of a plan by role, in the order in which they are performed. */
export interface HttpPhases {
  /** Resolves the host, unless it is an address, and connects. */
  readonly connect: readonly Step[];
  /** The TLS handshake of https. */
  readonly tls: Step | undefined;
  readonly send: Step;
  readonly receiveHead: Step;
  /** Sends the request again with credentials after status 401. */
  readonly sendAuthorized: Step;
  readonly redirect: Step;
  /** Requests the rest of a body after a lost connection. Requires the option `resume`. */
  readonly sendResume?: Step | undefined;
  /** Receives the body of the response, or sends the body of a PUT. */
  readonly transfer?: Step;
  readonly close: Step;
}

/** The phases of a GET or a PUT. */
export interface TransferPhases extends HttpPhases {
  readonly transfer: Step;
}

/**
 * Plans a GET. RFC 1738 §3.3: "The HTTP protocol is specified elsewhere", which is now RFC 9110 and RFC 9112. Throws
 * `refused-characters` for a header that may not be sent. The request target has path and search as written.
 */
export function planGet<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions,
  { userAgent }: HttpOptions = {},
): HttpPlan<U, TransferPhases> {
  const { headers, range, resume, decompress = true } = options;
  const request = HttpRequest.create(url, {
    userAgent,
    headers,
    // Ranges and resumed bodies count the bytes of one representation. A content coding would change the bytes.
    acceptEncoding: range || resume ? "identity" : ACCEPT_ENCODING,
    allowAcceptEncoding: !decompress,
    ownHeaders: [...conditionalHeaders(options), ...(range ? [rangeHeader(range)] : [])],
  });
  const phases = phasesOf(url, request, options, {
    sendResume:
      resume && sendStep(undefined, "RFC 9110 14.2", "the request for the rest of a broken transfer"),
    transfer: step("transfer", "RFC 9112 6", "the body of the response", "2"),
  });
  return httpPlan(url, request, phases);
}

/** Plans a HEAD, which requests the headers of a GET without its body. RFC 9110 §9.3.2. */
export function planStat<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions,
  { userAgent }: HttpOptions = {},
): HttpPlan<U> {
  const request = HttpRequest.create(url, { method: "HEAD", userAgent, headers: options.headers });
  return httpPlan(url, request, phasesOf(url, request, options, {}));
}

/** Plans a DELETE. RFC 9110 §9.3.5. */
export function planDelete<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions,
  { userAgent }: HttpOptions = {},
): HttpPlan<U> {
  const request = HttpRequest.create(url, { method: "DELETE", userAgent, headers: options.headers });
  return httpPlan(url, request, phasesOf(url, request, options, {}));
}

/**
 * Plans a PUT. RFC 9110 §9.3.4. The client sends the body after `100 Continue` (§10.1.1), so that a redirect or a
 * login does not consume it. Throws `unsupported` for a part of the content (§14.5).
 */
export function planPut<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions & PutOptions,
  { userAgent }: HttpOptions = {},
): HttpPlan<U, TransferPhases> {
  const { at, atomic, headers, mediaType, size } = options;
  if (at !== undefined && at !== 0)
    throw new AccessError("unsupported", "http has no standard way to write a part of a resource");
  if (atomic)
    throw new AccessError(
      "unsupported",
      "http does not define whether a server replaces a resource atomically",
    );
  const framing: Header =
    size === undefined ? ["transfer-encoding", "chunked"] : ["content-length", String(size)];
  const type = mediaType === undefined ? [] : [validateHeader("content-type", mediaType)];
  // RFC 9110 §10.1.1: a request without a body has no expectation.
  const expectation: Header[] = size === 0 ? [] : [["expect", "100-continue"]];
  const ownHeaders = [...type, framing, ...expectation];
  const request = HttpRequest.create(url, { method: "PUT", userAgent, headers, ownHeaders });
  const transfer = step("transfer", "RFC 9110 10.1.1", "the body of the request", "100");
  return httpPlan(url, request, phasesOf(url, request, options, { transfer }));
}

function phasesOf<T extends Pick<HttpPhases, "sendResume" | "transfer">>(
  url: HttpUrl,
  request: HttpRequest,
  { headers }: HttpRequestOptions,
  transferPhases: T,
): HttpPhases & T {
  return {
    connect: connectSteps(url),
    tls: url.scheme === "https" ? tlsStep(url, "RFC 9110 4.2.2") : undefined,
    // The caller's headers may contain secrets of any kind.
    send: sendStep(request.bytes, "RFC 9112 3", `${request.line} HTTP/1.1`, {
      secret: headers !== undefined,
    }),
    receiveHead: expectStep(["2", "3"], "RFC 9112 4", "a status line and headers"),
    sendAuthorized: sendStep(undefined, "RFC 9110 11.6", "the request with the user's credentials", {
      onReply: "401",
    }),
    redirect: step("redirect", "RFC 9110 15.4", "the URL in the Location header", "3"),
    ...transferPhases,
    close: step("close", "RFC 9112 9.6", "the connection, or keep it for another request"),
  };
}

function httpPlan<U extends HttpUrl, P extends HttpPhases>(
  url: U,
  request: HttpRequest,
  phases: P,
): HttpPlan<U, P> {
  const steps = Object.values(phases)
    .flat()
    .filter((each: Step | undefined) => each !== undefined);
  return makePlan(url, steps, { request, phases });
}
