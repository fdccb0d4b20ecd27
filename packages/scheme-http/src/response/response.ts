import { AccessError, type Completeness } from "@anyscheme/core";
import { type AccessContext, httpDate, type ResponseHead } from "@anyscheme/core/plugin";
import type { BodyFraming } from "./body-framing.ts";

/** What the server said about its answer. */
export interface HttpResponse {
  /** Of the protocol, as in `1.1`. */
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** Values by field name in lower case, one for each time the field was sent, in order. Each byte is one character. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** Fields that speak of the connection and not of the content. RFC 9110 §7.6.1. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "trailer",
  "upgrade",
]);
/** Fields that speak of the coded content. */
const CODED: ReadonlySet<string> = new Set(["content-encoding", "content-length"]);

/** What the fields say about the content, in the words of a content resource. */
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

/** The response as the Fetch standard has it; the codings that were taken off, and the length with them, are not part of it. */
export function fetchResponseHead({ status, reason, headers }: HttpResponse, decoded: boolean): ResponseHead {
  const left = Object.entries(headers).filter(
    ([name]) => !HOP_BY_HOP.has(name) && !(decoded && CODED.has(name)),
  );
  return {
    status,
    statusText: reason,
    headers: left.flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  };
}

/** RFC 9112 §6.3: of content that the close ends nobody can tell whether it is whole. */
export function completenessOf(framing: BodyFraming): Completeness {
  return framing === "close" ? "unverified" : "verified";
}

/** A field that must be there once at most; `undefined` when it is not there. Throws `protocol` for two that differ. */
export function singleHeader({ headers }: HttpResponse, name: string): string | undefined {
  const values = new Set(headers[name]);
  if (values.size > 1) throw new AccessError("protocol", `the server sent several different fields ${name}`);
  return headers[name]?.[0];
}

/** Tells the transcript what was received. */
export function traceResponse(
  { version, status, reason }: HttpResponse,
  context: Pick<AccessContext, "trace">,
): void {
  context.trace({ action: "receive", text: `HTTP/${version} ${statusText(status, reason)}` });
}

const PLAIN = /^[ -~]{0,200}$/;

/** A text of a server without control characters, cut where it is long. */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(/[^\x20-\x7e\xa0-\xff]/g, "?").slice(0, 200);
}

/** Status and reason phrase, fit to be shown: a phrase is what a server makes of it. */
export function statusText(status: number, reason: string): string {
  const phrase = printable(reason);
  return phrase === "" ? String(status) : `${status} ${phrase}`;
}
