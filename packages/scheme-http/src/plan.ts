import { AccessError, type Plan, type Step } from "@anyscheme/core";
import {
  createResolveAndConnectSteps,
  createExpectReplyStep,
  createPlan,
  createTlsStep,
  createSendStep,
  createStep,
  type PlanOptions,
  type PutOptions,
} from "@anyscheme/core/plugin";
import { createHttpHeader, type HttpHeader } from "./headers.ts";
import type { HttpRequestOptions, HttpOptions } from "./scheme-options.ts";
import type { RequestBodyWithType } from "./request/request-body.ts";
import { getRequestMethodAndBody, rejectMethodAndBodyOptions } from "./request/method.ts";
import { createRangeHeader } from "./request/range.ts";
import {
  createCacheModeHeaders,
  createConditionHeadersFromOptions,
  HttpRequest,
} from "./request/http-request-head.ts";
import { ACCEPT_ENCODING } from "./response/content-encoding.ts";
import type { HttpUrl } from "./syntax.ts";

/** The plan for an http or https URL, with its request and its phases. */
export interface HttpPlan<U extends HttpUrl = HttpUrl> extends Plan<U> {
  /** The request that the step `phases.sendRequest` sends to the server. */
  readonly request: HttpRequest;
  /**
   * The body that the client sends after the head of the request. `HttpPlan.body` is `undefined` for a request without
   * a body, and for `put`.
   */
  readonly body: RequestBodyWithType | undefined;
  readonly phases: HttpPlanPhases;
  /** True when the client adds the user's credentials to the first request. */
  readonly isPreemptive: boolean;
}

/** The steps of an http plan by name, in the order in which they are executed. */
export interface HttpPlanPhases {
  /** Resolves the host name, if the host is no IP address, and connects. */
  readonly connect: readonly Step[];
  /** The TLS handshake of https. */
  readonly tls: Step | undefined;
  readonly sendRequest: Step;
  /** Sends the body of the request. The description of the step states the length of the body, or `chunked`. */
  readonly sendBody?: Step | undefined;
  readonly receiveHead: Step;
  /** Repeats a PUT without its Expect header after status 417. */
  readonly repeatWithoutExpect?: Step | undefined;
  /** Repeats the request with credentials after status 401. */
  readonly sendAuthorizedRequest: Step;
  readonly redirect: Step;
  /**
   * Requests the remaining bytes of a body after a lost connection. The plan has this step only with the option
   * `resume`.
   */
  readonly sendResumeRequest?: Step | undefined;
  /** Receives the body of the response. */
  readonly transfer?: Step | undefined;
  readonly close: Step;
}

const SEND_RESUME_REQUEST_STEP = createSendStep(
  undefined,
  "RFC 9110 14.2",
  "the client requests the remaining bytes after a lost connection",
);
const RECEIVE_BODY_STEP = createStep(
  "transfer",
  "RFC 9112 6",
  "the server sends the body of the response",
  "2",
);

const COMMON_PHASES = {
  receiveHead: createExpectReplyStep(["2", "3"], "RFC 9112 4", "the server sends a status line and headers"),
  sendAuthorizedRequest: createSendStep(
    undefined,
    "RFC 9110 11.6",
    "the client repeats the request with the user's credentials",
    {
      onReply: "401",
    },
  ),
  redirect: createStep("redirect", "RFC 9110 15.4", "the client follows the URL in the Location header", "3"),
  close: createStep("close", "RFC 9112 9.6", "the client closes the connection or returns it to the pool"),
};

/** The methods for which a server expects a body, even an empty body. RFC 9110 §8.6. */
const BODY_METHODS: ReadonlySet<string> = new Set(["PATCH", "POST", "PROPFIND", "PROPPATCH", "PUT", "QUERY"]);

/**
 * Plans a request, by default a GET. RFC 1738 §3.3: "The HTTP protocol is specified elsewhere", which is now RFC 9110
 * and RFC 9112. Throws `refused-characters` for a header that may not be sent. The request target has the path without
 * dot segments, unless `pathAsIs` is set.
 */
export function planHttpRequest<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions,
  { userAgent }: HttpOptions = {},
): HttpPlan<U> {
  const { headers, pathAsIs, range, resume, decompress = true, throwHttpErrors = true } = options;
  const { method, body } = getRequestMethodAndBody(options);
  const schemeHeaders = createConditionHeadersFromOptions(options);
  schemeHeaders.push(...createCacheModeHeaders(options));
  if (range) schemeHeaders.push(createRangeHeader(range));
  schemeHeaders.push(...createFramingHeaders(method, body));
  const request = HttpRequest.create(url, {
    method,
    userAgent,
    headers,
    pathAsIs,
    // The offsets of a range refer to the unencoded content.
    acceptEncoding: range || resume ? "identity" : ACCEPT_ENCODING,
    mediaType: body?.mediaType,
    allowCallerAcceptEncoding: !decompress,
    allowCallerContentSelection: !throwHttpErrors,
    schemeHeaders,
  });
  const sendBody =
    body && createStep("transfer", "RFC 9112 6", `the client sends the body of the request: ${body.framing}`);
  return createHttpPlan(
    url,
    request,
    options,
    { sendBody, sendResumeRequest: resume && SEND_RESUME_REQUEST_STEP, transfer: RECEIVE_BODY_STEP },
    body,
  );
}

/** Returns the header that states the length or the chunked coding of a request body. RFC 9112 §6.1, §6.2. */
function createFramingHeaders(method: string, body: RequestBodyWithType | undefined): HttpHeader[] {
  if (!body) return BODY_METHODS.has(method) ? [["content-length", "0"]] : [];
  return [body.size === undefined ? ["transfer-encoding", "chunked"] : ["content-length", String(body.size)]];
}

/** Plans a HEAD request, whose response has the headers of a GET (RFC 9110 §9.3.2), or a DELETE request (§9.3.5). */
export function planHttpHeadOrDelete<U extends HttpUrl>(
  method: "HEAD" | "DELETE",
  url: U,
  options: PlanOptions & HttpRequestOptions,
  { userAgent }: HttpOptions = {},
): HttpPlan<U> {
  rejectMethodAndBodyOptions(options);
  const request = HttpRequest.create(url, {
    method,
    userAgent,
    headers: options.headers,
    pathAsIs: options.pathAsIs,
  });
  return createHttpPlan(url, request, options);
}

/**
 * Plans a PUT. RFC 9110 §9.3.4. The client sends the body of the PUT after `100 Continue` (§10.1.1), because a redirect
 * or a 401 response may come first. Throws `unsupported` for an atomic upload, and for a partial upload (§14.5).
 */
export function planHttpPut<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpRequestOptions & PutOptions,
  { userAgent }: HttpOptions = {},
): HttpPlan<U> {
  rejectMethodAndBodyOptions(options);
  const { offset, atomic, headers, mediaType, pathAsIs, size } = options;
  if (offset !== undefined && offset !== 0)
    throw new AccessError("unsupported", "http has no standard way to write a part of a resource");
  if (atomic)
    throw new AccessError(
      "unsupported",
      "http does not define whether a server replaces a resource atomically",
    );
  const schemeHeaders: HttpHeader[] = [];
  if (mediaType !== undefined) schemeHeaders.push(createHttpHeader("content-type", mediaType));
  schemeHeaders.push(
    size === undefined ? ["transfer-encoding", "chunked"] : ["content-length", String(size)],
  );
  // RFC 9110 §10.1.1: a request without a body must not have an Expect header.
  if (size !== 0) schemeHeaders.push(["expect", "100-continue"]);
  const request = HttpRequest.create(url, {
    method: "PUT",
    userAgent,
    headers,
    pathAsIs,
    schemeHeaders,
  });
  const framing = size === undefined ? "chunked" : `${size} bytes`;
  const sendBody = createStep(
    "transfer",
    "RFC 9110 10.1.1",
    `the client sends the body of the request: ${framing}`,
    "100",
  );
  const repeatWithoutExpect =
    size === 0
      ? undefined
      : createSendStep(undefined, "RFC 9110 10.1.1", "the client repeats the request without Expect", {
          onReply: "417",
        });
  return createHttpPlan(url, request, options, { sendBody, repeatWithoutExpect });
}

function createHttpPlan<U extends HttpUrl>(
  url: U,
  request: HttpRequest,
  { preemptive = false }: HttpRequestOptions,
  bodyPhases: Pick<
    HttpPlanPhases,
    "sendBody" | "repeatWithoutExpect" | "sendResumeRequest" | "transfer"
  > = {},
  body?: RequestBodyWithType,
): HttpPlan<U> {
  const { receiveHead, sendAuthorizedRequest, redirect, close } = COMMON_PHASES;
  const connect = createResolveAndConnectSteps(url);
  const tls = url.scheme === "https" ? createTlsStep(url, "RFC 9110 4.2.2") : undefined;
  const line = `${request.requestLine} HTTP/1.1`;
  const isPreemptive = preemptive && !request.isAuthorized;
  const send = isPreemptive
    ? createSendStep(undefined, "RFC 7617 2.2", `${line} with the user's credentials, if any`, {
        secret: true,
      })
    : createSendStep(() => request.headBytes, "RFC 9112 3", line, { secret: request.hasSecret });
  const { sendBody, repeatWithoutExpect, sendResumeRequest, transfer } = bodyPhases;
  const phases = {
    connect,
    tls,
    sendRequest: send,
    sendBody,
    receiveHead,
    repeatWithoutExpect,
    sendAuthorizedRequest,
    redirect,
    sendResumeRequest,
    transfer,
    close,
  };
  return createPlan(url, Object.values(phases).flat(), { request, body, phases, isPreemptive });
}
