import type { PlanOptions, Scheme } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import { accessHttp, type HttpResource } from "./access.ts";
import { deleteHttp, putHttp, statHttp } from "./operations.ts";
import {
  HTTP_CALL_OPTIONS,
  HTTP_OPTIONS,
  type HttpRequestOptions,
  type HttpOptions,
  HTTPS_OPTIONS,
  type HttpsOptions,
} from "./options.ts";
import { type HttpPlan, planDelete, planHttp, planPut, planStat } from "./plan.ts";
import { httpsSyntax, httpSyntax, type HttpUrl } from "./syntax.ts";

/** The http scheme. RFC 1738 §3.3. */
export function http(options: HttpOptions = {}): Scheme<HttpUrl<"http">, HttpResource, HttpRequestOptions> {
  checkOptions("http", options, HTTP_OPTIONS);
  return { name: "http", syntax: httpSyntax, ...method<HttpUrl<"http">>(options) };
}

/** The https scheme: the same grammar and method over TLS. RFC 9110 §4.2.2. */
export function https(
  options: HttpsOptions = {},
): Scheme<HttpUrl<"https">, HttpResource, HttpRequestOptions> {
  checkOptions("https", options, HTTPS_OPTIONS);
  return { name: "https", syntax: httpsSyntax, ...method<HttpUrl<"https">>(options) };
}

type CallOptions = PlanOptions & HttpRequestOptions;

/** What both have in common. */
function method<U extends HttpUrl>(
  settings: HttpsOptions,
): Omit<Scheme<U, HttpResource, HttpRequestOptions>, "name" | "syntax"> {
  return {
    // The request is framed by its lines, so that no other protocol takes it for commands.
    speaksFirst: "server",
    redirectSchemes: ["http", "https"],
    requestOptions: HTTP_CALL_OPTIONS,
    supports: ["range", "resume"],
    plan: (url, call: CallOptions) => planHttp(url, call, settings),
    // The type says what http itself gives; a redirect to a scheme that the policy lists may give something else.
    access: (plan, context, call: CallOptions) =>
      accessHttp(plan as HttpPlan<U>, context, call, settings) as Promise<HttpResource>,
    operations: {
      stat: {
        plan: (url, call: CallOptions) => planStat(url, call, settings),
        perform: (plan, context, call) => statHttp(plan as HttpPlan<U>, context as never, call, settings),
      },
      put: {
        plan: (url, call) => planPut(url, call, settings),
        perform: (plan, context, call) => putHttp(plan as HttpPlan<U>, context, call, settings),
      },
      delete: {
        plan: (url, call: CallOptions) => planDelete(url, call, settings),
        perform: (plan, context, call) => deleteHttp(plan as HttpPlan<U>, context, call, settings),
      },
    },
  };
}
