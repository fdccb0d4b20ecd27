import { AccessError } from "@anyscheme/core";
import { type AccessContext, httpDate, type ResponseHead, type Completeness } from "@anyscheme/core/plugin";
import type { BodyFraming } from "./body-framing.ts";

/** The head of a response. */
export interface HttpResponse {
  /** The protocol version, as in `1.1`. */
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** Values by header name in lower case. A repeated header has several values in order. Each byte is one character. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** Headers of the connection, not of the content. RFC 9110 §7.6.1. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "trailer",
  "upgrade",
]);
/** Headers that describe the encoded body. */
const ENCODED: ReadonlySet<string> = new Set(["content-encoding", "content-length"]);

/** The properties of a content resource from its headers. */
export interface ContentMetadata {
  readonly mediaType: string | undefined;
  readonly modified: Date | undefined;
}

export function contentMetadata({ headers }: HttpResponse): ContentMetadata {
  return {
    mediaType: headers["content-type"]?.at(-1),
    modified: httpDate(headers["last-modified"]?.at(-1)),
  };
}

/** Returns the response in the terms of the Fetch standard. A decoded body has neither its coding nor its length. */
export function fetchResponseHead(
  { status, reason, headers }: HttpResponse,
  { isDecoded }: { readonly isDecoded: boolean },
): ResponseHead {
  const kept = Object.entries(headers).filter(
    ([name]) => !HOP_BY_HOP.has(name) && !(isDecoded && ENCODED.has(name)),
  );
  return {
    status,
    statusText: reason,
    headers: kept.flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  };
}

/** Returns `unverified` for a body that ends with the connection. RFC 9112 §6.3. */
export function completenessOf(framing: BodyFraming): Completeness {
  return framing === "close" ? "unverified" : "verified";
}

/** Returns the value of a header that may be sent only once. Throws `protocol` for two different values. */
export function singleHeader({ headers }: HttpResponse, name: string): string | undefined {
  const values = new Set(headers[name]);
  if (values.size > 1) throw new AccessError("protocol", `the server sent several different headers ${name}`);
  return headers[name]?.[0];
}

/** Adds the status line to the trace. */
export function traceResponse(
  { version, status, reason }: HttpResponse,
  context: Pick<AccessContext<unknown>, "trace">,
): void {
  context.trace({ action: "receive", text: `HTTP/${version} ${statusText(status, reason)}` });
}

/** Replaces control characters in a server's text by `?`, and truncates it to 200 characters. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\xa0-\xff]/g, "?").slice(0, 200);
}

/** Returns the status and the reason phrase, without control characters. */
export function statusText(status: number, reason: string): string {
  const phrase = printable(reason);
  return phrase === "" ? String(status) : `${status} ${phrase}`;
}
