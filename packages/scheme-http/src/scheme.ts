import type { PlanOptions, Scheme } from "@anyscheme/core";
import { accessHttp, type HttpResource } from "./access.ts";
import type { HttpCallOptions, HttpOptions, HttpsOptions } from "./options.ts";
import { type HttpPlan, planHttp } from "./plan.ts";
import { httpsSyntax, httpSyntax, type HttpUrl } from "./syntax.ts";

/** The http scheme. RFC 1738 §3.3. */
export function http(options: HttpOptions = {}): Scheme<HttpUrl<"http">, HttpResource, HttpCallOptions> {
  return { name: "http", syntax: httpSyntax, ...method<HttpUrl<"http">>(options) };
}

/** The https scheme: the same grammar and method over TLS. RFC 9110 §4.2.2. */
export function https(options: HttpsOptions = {}): Scheme<HttpUrl<"https">, HttpResource, HttpCallOptions> {
  return { name: "https", syntax: httpsSyntax, ...method<HttpUrl<"https">>(options) };
}

/** What both have in common. */
function method<U extends HttpUrl>(
  options: HttpsOptions,
): Pick<Scheme<U, HttpResource, HttpCallOptions>, "speaksFirst" | "plan" | "access"> {
  return {
    // The request is framed by its lines, so that no other protocol takes it for commands.
    speaksFirst: "server",
    plan: (url, call: PlanOptions & HttpCallOptions) => planHttp(url, call, options),
    // The type says what http itself gives; a redirect to a scheme that the policy lists may give something else.
    access: (plan, context) => accessHttp(plan as HttpPlan<U>, context, options) as Promise<HttpResource>,
  };
}
