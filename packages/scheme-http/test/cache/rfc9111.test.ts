import { memoryCache } from "@anyscheme/core/cache";
import { describe, expect, it } from "vitest";
import type { HttpGetOptions } from "../test-client.ts";
import {
  createCachingClient,
  hasHeader,
  createResponseText,
  startRecordingOriginServer,
} from "./caching-client-and-origin.ts";

interface CacheCase {
  readonly title: string;
  /** The headers of the first response. */
  readonly first: string[];
  /** The options of the second request. */
  readonly second?: HttpGetOptions;
  /** The options of both requests. */
  readonly both?: HttpGetOptions;
  readonly status?: string;
  /** True for a shared cache. */
  readonly shared?: boolean;
  /** The source of the second response: the cache, the server, or the cache after a 304 response. */
  readonly from: "cache" | "server" | "revalidation";
}

const agoSeconds = (seconds: number): string => new Date(Date.now() - seconds * 1000).toUTCString();
const withDirective = (directive: string): HttpGetOptions => ({ headers: { "cache-control": directive } });
const FRESH = "cache-control: max-age=60";
const TAG = 'etag: "a"';

/** The cases by section of RFC 9111. */
const CASES: Readonly<Record<string, readonly CacheCase[]>> = {
  "3 storing responses": [
    { title: "a response with max-age is stored", first: [FRESH], from: "cache" },
    { title: "a response with no-store is not stored", first: [`${FRESH}, no-store`], from: "server" },
    { title: "the directive No-Store is case-insensitive", first: [`${FRESH}, No-Store`], from: "server" },
    { title: "a private response is stored", first: [`${FRESH}, private`], from: "cache" },
    {
      title: "a response to a request with no-store is not stored",
      first: [FRESH],
      both: withDirective("no-store"),
      from: "server",
    },
    { title: "status 203 is stored", first: [FRESH], status: "203 Other", from: "cache" },
    { title: "an unknown status is not stored", first: [FRESH], status: "299 Unknown", from: "server" },
    {
      title: "a response to a request with an Authorization header is stored in a private cache",
      first: [FRESH],
      both: { headers: { authorization: "Basic eA==" } },
      from: "cache",
    },
  ],
  "3 a shared cache": [
    { title: "a private response is not stored", first: [`${FRESH}, private`], shared: true, from: "server" },
    {
      title: "a response to an Authorization header is not stored",
      first: [FRESH],
      both: { headers: { authorization: "Basic eA==" } },
      shared: true,
      from: "server",
    },
    {
      title: "s-maxage has priority over max-age",
      first: [`${FRESH}, s-maxage=0`, TAG],
      shared: true,
      from: "revalidation",
    },
    ...["must-revalidate", "public", "s-maxage=60"].map((directive): CacheCase => ({
      title: `a fresh response with ${directive} to an Authorization header is used again`,
      first: [`${FRESH}, ${directive}`, TAG],
      both: { headers: { authorization: "Basic eA==" } },
      shared: true,
      from: "cache",
    })),
    {
      title: "a fresh response with proxy-revalidate is used again",
      first: [`${FRESH}, proxy-revalidate`, TAG],
      shared: true,
      from: "cache",
    },
    { title: "a response with only max-age is stored", first: [FRESH], shared: true, from: "cache" },
  ],
  "4.1 Vary": [
    {
      title: "the same value of the header in Vary selects the stored response",
      first: [FRESH, "vary: Accept-Language"],
      both: { headers: { "accept-language": "en" } },
      from: "cache",
    },
    {
      title: "another value of the header in Vary does not select the stored response",
      first: [FRESH, "vary: Accept-Language"],
      second: { headers: { "accept-language": "fr" } },
      from: "server",
    },
    {
      title: "two Vary headers are combined",
      first: [FRESH, "vary: accept", "vary: accept-language"],
      second: { headers: { "accept-language": "fr" } },
      from: "server",
    },
    { title: "a response with Vary: * is not used again", first: [FRESH, "vary: *"], from: "server" },
  ],
  "4.2 freshness": [
    {
      title: "max-age has priority over Expires",
      first: [FRESH, `expires: ${agoSeconds(60)}`],
      from: "cache",
    },
    {
      title: "Expires in the future makes a response fresh",
      first: [`expires: ${agoSeconds(-60)}`],
      from: "cache",
    },
    { title: "an invalid Expires makes a response stale", first: ["expires: 0", TAG], from: "revalidation" },
    ...[
      "2099",
      "2099-01-01T00:00:00Z",
      "Thu, 01 Jan 2099",
      "Thu, 01 Jan 2099 00:00:00",
      "Sat, 31 Feb 2099 00:00:00 GMT",
    ].map((date): CacheCase => ({
      title: `the Expires ${date}, which is no HTTP-date, makes a response stale`,
      first: [`expires: ${date}`, TAG],
      from: "revalidation",
    })),
    {
      title: "an invalid Date does not extend the lifetime of Expires",
      first: [`expires: ${agoSeconds(-60)}`, "date: 2001-01-01", "age: 61", TAG],
      from: "revalidation",
    },
    {
      title: "the first of two max-age directives applies",
      first: ["cache-control: max-age=0", FRESH, TAG],
      from: "revalidation",
    },
    ...["max-age=", 'max-age=""', "max-age", "max-age=soon"].map((directive): CacheCase => ({
      title: `the directive ${directive}, which has no number, makes a response stale`,
      first: [`cache-control: ${directive}`, `expires: ${agoSeconds(-60)}`, TAG],
      from: "revalidation",
    })),
    {
      title: "s-maxage without a number makes a response stale",
      first: [`${FRESH}, s-maxage=`, TAG],
      shared: true,
      from: "revalidation",
    },
    { title: "Age is subtracted from the lifetime", first: [FRESH, "age: 61", TAG], from: "revalidation" },
    {
      title: "an old Date makes a response stale",
      first: [FRESH, `date: ${agoSeconds(61)}`, TAG],
      from: "revalidation",
    },
    {
      title: "the heuristic lifetime is a tenth of the time since Last-Modified",
      first: [`last-modified: ${agoSeconds(1000)}`, `date: ${agoSeconds(0)}`],
      from: "cache",
    },
    { title: "s-maxage does not apply to a private cache", first: [`${FRESH}, s-maxage=0`], from: "cache" },
  ],
  "4.2.4 stale responses": [
    {
      title: "must-revalidate allows a fresh response",
      first: [`${FRESH}, must-revalidate`, TAG],
      from: "cache",
    },
    {
      title: "must-revalidate forbids a stale response that max-stale would allow",
      first: ["cache-control: max-age=0, must-revalidate", TAG],
      second: withDirective("max-stale"),
      from: "revalidation",
    },
    {
      title: "a stored response with no-cache is revalidated in spite of max-stale in the request",
      first: [`${FRESH}, no-cache`, TAG],
      second: withDirective("max-stale"),
      from: "revalidation",
    },
    ...["proxy-revalidate, max-age=60", "s-maxage=60"].map((directives): CacheCase => ({
      title: `${directives} of a shared cache forbids a stale response that max-stale would allow`,
      first: [`cache-control: ${directives}`, "age: 61", TAG],
      second: withDirective("max-stale"),
      shared: true,
      from: "revalidation",
    })),
    {
      title: "max-stale of the request allows a stale response",
      first: ["cache-control: max-age=0", TAG],
      second: withDirective("max-stale"),
      from: "cache",
    },
  ],
  "4.3 validation": [
    {
      title: "a stale response with an entity tag is revalidated",
      first: ["cache-control: max-age=0", TAG],
      from: "revalidation",
    },
    {
      title: "a stale response with Last-Modified is revalidated",
      first: ["cache-control: max-age=0", `last-modified: ${agoSeconds(60)}`],
      from: "revalidation",
    },
    {
      title: "a stale response without a validator is requested again",
      first: ["cache-control: max-age=0"],
      from: "server",
    },
  ],
  "5.2.1 directives of requests": [
    {
      title: "no-cache revalidates a fresh response",
      first: [FRESH, TAG],
      second: withDirective("no-cache"),
      from: "revalidation",
    },
    {
      title: "Pragma: no-cache revalidates a fresh response",
      first: [FRESH, TAG],
      second: { headers: { pragma: "no-cache" } },
      from: "revalidation",
    },
    {
      title: "max-age=0 revalidates a fresh response",
      first: [FRESH, TAG],
      second: withDirective("max-age=0"),
      from: "revalidation",
    },
    {
      title: "max-age limits the age of a stored response",
      first: [FRESH, "age: 10", TAG],
      second: withDirective("max-age=5"),
      from: "revalidation",
    },
    {
      title: "min-fresh requires a remaining lifetime",
      first: [FRESH, TAG],
      second: withDirective("min-fresh=90"),
      from: "revalidation",
    },
    {
      title: "only-if-cached uses a fresh response",
      first: [FRESH],
      second: withDirective("only-if-cached"),
      from: "cache",
    },
  ],
  "5.2.2 directives of responses": [
    { title: "no-cache requires revalidation", first: [`${FRESH}, no-cache`, TAG], from: "revalidation" },
    {
      title: "no-cache with a field name counts as no-cache",
      first: [`${FRESH}, no-cache="set-cookie"`, TAG],
      from: "revalidation",
    },
    { title: "immutable has no effect beyond max-age", first: [`${FRESH}, immutable`], from: "cache" },
    {
      title: "immutable without max-age gives no lifetime",
      first: ["cache-control: immutable", TAG],
      from: "revalidation",
    },
  ],
  "the modes of the option cache": [
    {
      title: "no-store does not read the cache",
      first: [FRESH],
      second: { cache: "no-store" },
      from: "server",
    },
    {
      title: "reload does not read the cache",
      first: [FRESH, TAG],
      second: { cache: "reload" },
      from: "server",
    },
    {
      title: "no-cache revalidates a fresh response",
      first: [FRESH, TAG],
      second: { cache: "no-cache" },
      from: "revalidation",
    },
    {
      title: "force-cache uses a stale response",
      first: ["cache-control: max-age=0", TAG],
      second: { cache: "force-cache" },
      from: "cache",
    },
    {
      title: "only-if-cached uses a stale response",
      first: ["cache-control: max-age=0", TAG],
      second: { cache: "only-if-cached" },
      from: "cache",
    },
  ],
};

describe.each(Object.entries(CASES))("RFC 9111 §%s", (_section, cases) => {
  it.each(cases)("$title", async ({ first, second, both, status, shared, from }) => {
    await using server = await startRecordingOriginServer((request, index) => {
      if (index === 0) return createResponseText("one", first, status);
      const isConditional = hasHeader(request, "if-none-match") || hasHeader(request, "if-modified-since");
      return isConditional ? `HTTP/1.1 304 Not Modified\r\n\r\n` : createResponseText("two");
    });
    const { read } = createCachingClient({ cache: memoryCache({ shared }) });
    expect(await read(server.url(), both)).toBe("one");
    expect(await read(server.url(), { ...both, ...second })).toBe(from === "server" ? "two" : "one");
    expect(server.requests).toHaveLength(from === "cache" ? 1 : 2);
  });
});
