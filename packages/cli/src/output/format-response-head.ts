import type { Resource } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import type { HttpPlan, HttpResponseHead } from "@anyscheme/scheme-http";

/** Returns the head of the HTTP response of a resource. Returns `undefined` if no HTTP response led to the resource. */
export function findHttpResponseOfResource(resource: Resource): HttpResponseHead | undefined {
  return "httpResponse" in resource ? (resource.httpResponse as HttpResponseHead) : undefined;
}

/** True for a response to HEAD, which has no body. */
export function isResponseToHead({ plan }: Resource): boolean {
  return (plan as Partial<HttpPlan>).request?.method === "HEAD";
}

/** Formats the head of a response as lines: the status line, the headers, and an empty line. */
export function formatResponseHead({ version, status, reason, headers }: HttpResponseHead): string[] {
  const headerLines = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value) => `${name}: ${value}`),
  );
  return [`HTTP/${version} ${status} ${reason}`.trimEnd(), ...headerLines, ""].map(escapeControls);
}
