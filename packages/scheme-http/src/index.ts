export type { HttpContentResource } from "./execute-plan.ts";
export type { HttpStat } from "./head-put-delete.ts";
export type {
  HttpHeadersInit,
  HttpLimits,
  HttpRequestOptions,
  HttpOptions,
  HttpsOptions,
} from "./scheme-options.ts";
export type { HttpPlan } from "./plan.ts";
export type { HttpRequestBody, RequestBodyWithType } from "./request/request-body.ts";
export type { HttpRequest } from "./request/http-request-head.ts";
export type { HttpResponseHead } from "./response/response-head.ts";
export { http, https } from "./scheme.ts";
export { type HttpUrlBuildParts, httpsSyntax, httpSyntax, HttpUrl } from "./syntax.ts";
