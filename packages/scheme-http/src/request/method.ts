import { AccessError } from "@anyscheme/core";
import { httpMethodOptionKind, normalizeHttpMethod, type PlanOptions } from "@anyscheme/core/plugin";
import type { HttpRequestOptions } from "../scheme-options.ts";
import { RequestBodyWithType } from "./request-body.ts";

/**
 * Returns the method and the body that the options request. Converts the names of the usual HTTP methods to upper case.
 * Throws `unsupported` for a method that the client does not send, for a GET or HEAD with a body, and for the options
 * `range` and `resume` with a method other than GET.
 */
export function getRequestMethodAndBody(options: PlanOptions & HttpRequestOptions): {
  readonly method: string;
  readonly body: RequestBodyWithType | undefined;
} {
  const { method: given = "GET", body: content, range, resume } = options;
  const method = normalizeHttpMethod(given);
  if (!httpMethodOptionKind.accepts(method))
    throw new AccessError("unsupported", `the client does not send the method ${method}`);
  const hasNoBody = method === "GET" || method === "HEAD";
  if (hasNoBody && content !== undefined && content !== null)
    throw new AccessError("unsupported", `a request with the method ${method} cannot have a body`);
  if (method !== "GET" && (range || resume))
    throw new AccessError(
      "unsupported",
      `the options range and resume need the method GET, and not ${method}`,
    );
  const body = content === undefined || content === null ? undefined : RequestBodyWithType.from(content);
  return { method, body };
}

/** Throws `unsupported` for the options `method` and `body`, which apply only to `dereference` and `fetch`. */
export function rejectMethodAndBodyOptions({ method, body }: HttpRequestOptions): void {
  if (method === undefined && body === undefined) return;
  const name = method === undefined ? "body" : "method";
  throw new AccessError("unsupported", `the option ${name} applies only to dereference and fetch`);
}
