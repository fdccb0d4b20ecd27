import { AccessError } from "@anyscheme/core";
import { httpDate, type PlanOptions } from "@anyscheme/core/plugin";
import type { Header } from "./request.ts";
import type { HttpResponse } from "../response/response.ts";

// entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE            RFC 9110 §8.8.3
const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const entityTags = new RegExp(`^(?:\\*|${entityTag}(?:[ \\t]*,[ \\t]*${entityTag})*)$`);
const strongTag = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

/** A Last-Modified date at least this long before the Date is a strong validator. RFC 9110 §8.8.2.2. */
const STRONG_DATE_MS = 1_000;

/** Returns the headers of a conditional request. RFC 9110 §13.1.2, §13.1.3. Throws `refused-characters` for an invalid tag or date. */
export function conditionalHeaders({ ifModifiedSince, ifNoneMatch }: PlanOptions): Header[] {
  if (ifNoneMatch !== undefined && !entityTags.test(ifNoneMatch)) {
    const advice = 'write an entity tag with its quotes: "\\"abc\\""';
    throw new AccessError("refused-characters", "ifNoneMatch is no list of entity tags", { advice });
  }
  const since = ifModifiedSince?.toUTCString();
  if (since !== undefined && httpDate(since) === undefined)
    throw new AccessError("refused-characters", "ifModifiedSince cannot be written as an HTTP date");
  return [
    ...(ifNoneMatch === undefined ? [] : [["if-none-match", ifNoneMatch] as const]),
    ...(since === undefined ? [] : [["if-modified-since", since] as const]),
  ];
}

/** Returns a strong entity tag or date for If-Range. RFC 9110 §13.1.5. */
export function strongValidator({ headers }: HttpResponse): string | undefined {
  const [tag, another] = headers["etag"] ?? [];
  if (tag !== undefined) return another === undefined && strongTag.test(tag) ? tag : undefined;
  const modified = headers["last-modified"]?.at(-1);
  const date = httpDate(headers["date"]?.at(-1));
  const since = httpDate(modified);
  return since && date && date.getTime() - since.getTime() >= STRONG_DATE_MS ? modified : undefined;
}
