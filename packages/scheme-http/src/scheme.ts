import type { Plan, Scheme } from "@anyscheme/core";
import { type AccessContext, checkOptions, type PlanOptions } from "@anyscheme/core/plugin";
import { removeCrossOriginClientCertificate, type HttpHopInputs } from "./http-hop-inputs.ts";
import { executeHttpPlan, type HttpContentResource } from "./execute-plan.ts";
import {
  DEFAULT_HTTP_LIMITS,
  HTTP_REQUEST_OPTION_KINDS,
  HTTP_SCHEME_OPTION_KINDS,
  type HttpRequestOptions,
  type HttpOptions,
  HTTPS_SCHEME_OPTION_KINDS,
  type HttpsOptions,
} from "./scheme-options.ts";
import { type HttpPlan, planHttpPut, planHttpRequest, planHttpHeadOrDelete } from "./plan.ts";
import { httpsSyntax, httpSyntax, type HttpUrl } from "./syntax.ts";

/** Returns the http scheme. RFC 1738 §3.3. */
export function http(
  options: HttpOptions = {},
): Scheme<HttpUrl<"http">, HttpContentResource, HttpRequestOptions> {
  checkOptions("http", options, HTTP_SCHEME_OPTION_KINDS);
  return { name: "http", syntax: httpSyntax, ...createHttpMethods<HttpUrl<"http">>(options) };
}

/** Returns the https scheme, which is HTTP over TLS. RFC 9110 §4.2.2. */
export function https(
  options: HttpsOptions = {},
): Scheme<HttpUrl<"https">, HttpContentResource, HttpRequestOptions> {
  checkOptions("https", options, HTTPS_SCHEME_OPTION_KINDS);
  return { name: "https", syntax: httpsSyntax, ...createHttpMethods<HttpUrl<"https">>(options) };
}

type HttpCallOptions = PlanOptions & HttpRequestOptions;

/** Returns the plan function, the access method and the operations, which http and https share. */
function createHttpMethods<U extends HttpUrl>(
  schemeOptions: HttpsOptions,
): Omit<Scheme<U, HttpContentResource, HttpRequestOptions>, "name" | "syntax"> {
  function createHop<R>(
    plan: Plan<U>,
    context: AccessContext<R>,
    requestOptions: HttpCallOptions,
  ): HttpHopInputs<R> {
    return removeCrossOriginClientCertificate({
      plan: plan as HttpPlan<U>,
      context,
      requestOptions,
      schemeOptions,
    });
  }
  return {
    // HTTP may use all ports from 1024 on, because servers of other protocols do not execute an HTTP request as
    // commands.
    portRange: "unprivileged",
    redirectSchemes: ["http", "https"],
    limits: DEFAULT_HTTP_LIMITS,
    requestOptions: HTTP_REQUEST_OPTION_KINDS,
    crossOriginOptions: ["method", "body", "decompress", "throwHttpErrors", "redirect"],
    supportedOptions: ["range", "resume", "method", "cache"],
    plan: (url, options: HttpCallOptions) => planHttpRequest(url, options, schemeOptions),
    // A redirect to another scheme may return another kind of resource.
    access: (plan, context, options: HttpCallOptions) =>
      executeHttpPlan(createHop(plan, context, options)) as Promise<HttpContentResource>,
    // Most programs only dereference URLs, so the code of `stat`, `put` and `delete` is loaded on first use.
    operations: {
      stat: {
        plan: (url, options: HttpCallOptions) => planHttpHeadOrDelete("HEAD", url, options, schemeOptions),
        async perform(plan, context, options) {
          const { performHttpHead } = await import("./head-put-delete.ts");
          return performHttpHead(createHop(plan, context as never, options));
        },
      },
      put: {
        plan: (url, options) => planHttpPut(url, options, schemeOptions),
        async perform(plan, context, options) {
          const { performHttpPut } = await import("./head-put-delete.ts");
          return performHttpPut(createHop(plan, context, options), options.upload);
        },
      },
      delete: {
        plan: (url, options: HttpCallOptions) => planHttpHeadOrDelete("DELETE", url, options, schemeOptions),
        async perform(plan, context, options) {
          const { performHttpDelete } = await import("./head-put-delete.ts");
          return performHttpDelete(createHop(plan, context, options));
        },
      },
    },
  };
}
