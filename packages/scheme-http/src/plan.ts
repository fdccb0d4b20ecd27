import {
  connectSteps,
  expectStep,
  makePlan,
  type Plan,
  type PlanOptions,
  secureStep,
  sendStep,
  step,
} from "@anyscheme/core";
import type { HttpCallOptions, HttpOptions } from "./options.ts";
import { HttpRequest } from "./request.ts";
import type { HttpUrl } from "./syntax.ts";

/** A plan for http or https, with the request that its `send` step puts on the wire. */
export interface HttpPlan<U extends HttpUrl = HttpUrl> extends Plan<U> {
  readonly request: HttpRequest;
}

/**
 * RFC 1738 §3.3: "The HTTP protocol is specified elsewhere", which is now RFC 9110 and RFC 9112. Throws `refused-octets` for
 * a header field that may not be sent; path and search are sent as they are written, so that nothing in them can be refused.
 */
export function planHttp<U extends HttpUrl>(
  url: U,
  options: PlanOptions & HttpCallOptions,
  { userAgent }: HttpOptions = {},
): HttpPlan<U> {
  const request = new HttpRequest(url, { userAgent, headers: options.headers });
  const requestLine = `${request.method} ${request.target} HTTP/1.1`;
  const plan = makePlan(url, [
    ...connectSteps(url),
    ...(url.scheme === "https" ? [secureStep(url, "RFC 9110 4.2.2")] : []),
    // Whatever a caller adds to the request may be meant for one server only.
    sendStep(request.octets, "RFC 9112 3", requestLine, { secret: options.headers !== undefined }),
    expectStep(["2", "3"], "RFC 9112 4", "a status line and header fields"),
    step("refer", "RFC 9110 15.4", "the URL in the Location field", "3"),
    step("transfer", "RFC 9112 6", "the content of the response", "2"),
    step("close", "RFC 9112 9.6", "the connection"),
  ]);
  return Object.freeze({ ...plan, request });
}
