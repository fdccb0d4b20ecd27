import { AccessError, type Completeness } from "@anyscheme/core";
import type { StatusLine } from "./head-watch.ts";

/** What the server said about its answer. */
export interface HttpResponse extends StatusLine {
  /** Values by field name in lower case, one for each time the field was sent, in order. Each octet is one character. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** How the end of the content is known. RFC 9112 §6.3. */
export type Framing = "none" | "chunked" | "length" | "close";

/** Makes the response from its status line and the parser's list of names and values. */
export function responseOf(
  statusLine: StatusLine,
  rawHeaders: readonly (Uint8Array | string)[],
): HttpResponse {
  const headers: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = textOf(rawHeaders[index]).toLowerCase();
    (headers[name] ??= []).push(textOf(rawHeaders[index + 1]).trim());
  }
  return Object.freeze({ ...statusLine, headers: Object.freeze(headers) });
}

/** Throws `unsupported` for a coding that nobody asked for: its octets would be taken for the content. */
export function framingOf({ status, headers }: HttpResponse): Framing {
  if (status === 204 || status === 304) return "none";
  const transferCoding = headers["transfer-encoding"]?.join(", ").toLowerCase();
  if (transferCoding === "chunked") return "chunked";
  if (transferCoding !== undefined) throw unasked("transfer", transferCoding);
  return headers["content-length"] ? "length" : "close";
}

/** Throws `unsupported` for a content coding. RFC 9110 §8.4: the field is left out for the identity. */
export function checkContentCoding({ headers }: HttpResponse): void {
  const coding = headers["content-encoding"]?.join(", ").toLowerCase() ?? "identity";
  if (coding !== "identity" && coding !== "") throw unasked("content", coding);
}

/** What the fields say about the content, in the words of a content resource. */
export function descriptionOf(
  { headers }: HttpResponse,
  framing: Framing,
): {
  completeness: Completeness;
  mediaType: string | undefined;
  size: number | undefined;
  modified: Date | undefined;
} {
  return {
    completeness: framing === "close" ? "unverified" : "verified",
    mediaType: headers["content-type"]?.at(-1),
    size: framing === "length" ? Number(headers["content-length"]?.[0]) : framing === "none" ? 0 : undefined,
    modified: dateOf(headers["last-modified"]?.at(-1)),
  };
}

function dateOf(text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text);
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}

function unasked(kind: "transfer" | "content", coding: string): AccessError {
  const name = coding.replace(/[^\x21-\x7e ]/g, "?").slice(0, 100);
  return new AccessError(
    "unsupported",
    `the server used the ${kind} coding ${name}, which was not asked for`,
  );
}

function textOf(value: Uint8Array | string | undefined): string {
  if (value === undefined || typeof value === "string") return value ?? "";
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
}
