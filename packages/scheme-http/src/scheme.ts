import type { Scheme } from "@anyscheme/core";
import { checkOptions, type PlanOptions } from "@anyscheme/core/plugin";
import { accessHttp, type HttpResource } from "./access.ts";
import { deleteHttp, putHttp, statHttp } from "./operations.ts";
import {
  HTTP_REQUEST_OPTIONS,
  HTTP_OPTIONS,
  type HttpRequestOptions,
  type HttpOptions,
  HTTPS_OPTIONS,
  type HttpsOptions,
} from "./options.ts";
import { type HttpPlan, planDelete, planGet, planPut, planStat, type TransferPhases } from "./plan.ts";
import { httpsSyntax, httpSyntax, type HttpUrl } from "./syntax.ts";

/** Returns the http scheme. RFC 1738 §3.3. */
export function http(options: HttpOptions = {}): Scheme<HttpUrl<"http">, HttpResource, HttpRequestOptions> {
  checkOptions("http", options, HTTP_OPTIONS);
  return { name: "http", syntax: httpSyntax, ...httpMethods<HttpUrl<"http">>(options) };
}

/** Returns the https scheme: http over TLS. RFC 9110 §4.2.2. */
export function https(
  options: HttpsOptions = {},
): Scheme<HttpUrl<"https">, HttpResource, HttpRequestOptions> {
  checkOptions("https", options, HTTPS_OPTIONS);
  return { name: "https", syntax: httpsSyntax, ...httpMethods<HttpUrl<"https">>(options) };
}

type CallOptions = PlanOptions & HttpRequestOptions;

/** The plans, access method and operations of both schemes. */
function httpMethods<U extends HttpUrl>(
  settings: HttpsOptions,
): Omit<Scheme<U, HttpResource, HttpRequestOptions>, "name" | "syntax"> {
  return {
    // Servers of line protocols do not take an HTTP request for commands, so any port is allowed.
    speaksFirst: "server",
    redirectSchemes: ["http", "https"],
    requestOptions: HTTP_REQUEST_OPTIONS,
    supports: ["range", "resume"],
    plan: (url, call: CallOptions) => planGet(url, call, settings),
    // A redirect to another scheme, where the policy allows it, may return another kind of resource.
    access: (plan, context, call: CallOptions) =>
      accessHttp(plan as HttpPlan<U, TransferPhases>, context, call, settings) as Promise<HttpResource>,
    operations: {
      stat: {
        plan: (url, call: CallOptions) => planStat(url, call, settings),
        perform: (plan, context, call) => statHttp(plan as HttpPlan<U>, context as never, call, settings),
      },
      put: {
        plan: (url, call) => planPut(url, call, settings),
        perform: (plan, context, call) =>
          putHttp(plan as HttpPlan<U, TransferPhases>, context, call, settings),
      },
      delete: {
        plan: (url, call: CallOptions) => planDelete(url, call, settings),
        perform: (plan, context, call) => deleteHttp(plan as HttpPlan<U>, context, call, settings),
      },
    },
  };
}
