import { AccessError, type PlanOptions } from "@anyscheme/core";
import { httpDate } from "@anyscheme/core/plugin";
import type { Header } from "./request.ts";
import type { HttpResponse } from "../response/response.ts";

// entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE            RFC 9110 §8.8.3
const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const entityTags = new RegExp(`^(?:\\*|${entityTag}(?:[ \\t]*,[ \\t]*${entityTag})*)$`);
const strongTag = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

/** A date is a strong validator when the content was not changed within the second that it names. RFC 9110 §8.8.2.2. */
const SETTLED_MS = 1_000;

/** The fields that make a request conditional. RFC 9110 §13.1.2, §13.1.3. Throws `refused-characters` for what is no entity tag or date. */
export function conditionalHeaders({ ifModifiedSince, ifNoneMatch }: PlanOptions): Header[] {
  if (ifNoneMatch !== undefined && !entityTags.test(ifNoneMatch)) {
    const advice = 'an entity tag has its quotes: "\\"abc\\""';
    throw new AccessError("refused-characters", "ifNoneMatch is no entity tag, and no list of them", {
      advice,
    });
  }
  const since = ifModifiedSince?.toUTCString();
  if (since !== undefined && httpDate(since) === undefined)
    throw new AccessError("refused-characters", "ifModifiedSince is no date that HTTP has");
  return [
    ...(ifNoneMatch === undefined ? [] : [["if-none-match", ifNoneMatch] as const]),
    ...(since === undefined ? [] : [["if-modified-since", since] as const]),
  ];
}

/** What tells for certain whether a content is still the same, for If-Range. RFC 9110 §13.1.5. */
export function strongValidator({ headers }: HttpResponse): string | undefined {
  const [tag, another] = headers["etag"] ?? [];
  if (tag !== undefined) return another === undefined && strongTag.test(tag) ? tag : undefined;
  const modified = headers["last-modified"]?.at(-1);
  const date = httpDate(headers["date"]?.at(-1));
  const since = httpDate(modified);
  return since && date && date.getTime() - since.getTime() >= SETTLED_MS ? modified : undefined;
}
