import { domainToASCII } from "node:url";
import { readFileSync } from "node:fs";
import { UrlSyntaxError, InternetUrl, type Url } from "@anyscheme/core/syntax";
import { FileUrl } from "@anyscheme/scheme-others/file";
import { clientOfAllSchemes } from "../fixtures/client-of-all-schemes.ts";

/** The result of a conforming parser: the properties of `URL`, or a failure. */
export type ExpectedUrl =
  | { readonly failure: true }
  | {
      readonly failure?: undefined;
      readonly protocol: string;
      readonly hostname: string;
      readonly port: string;
      readonly pathname: string;
      readonly search: string;
    };

/** A row of the conformance data of the WHATWG URL Standard. */
export type WhatwgUrlTestCase = ExpectedUrl & { readonly input: string; readonly base: string | null };

/** The test cases of the WHATWG URL Standard in `whatwg-url-tests.jsonl`. */
export const urlTests: readonly WhatwgUrlTestCase[] = readFileSync(
  new URL("whatwg-url-tests.jsonl", import.meta.url),
  "utf8",
)
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as WhatwgUrlTestCase);

/** The result of `client.parse` or `client.resolve`: a URL, or the code of the fault. */
export type ActualParseResult =
  { readonly url: Url; readonly fault?: undefined } | { readonly url?: undefined; readonly fault: string };

/** Parses the input of a row in modern mode, relative to its base. */
export function parseTestUrlWithClient({ input, base }: WhatwgUrlTestCase): ActualParseResult {
  try {
    return {
      url:
        base === null
          ? clientOfAllSchemes.parse(input)
          : clientOfAllSchemes.resolve(clientOfAllSchemes.parse(base), input),
    };
  } catch (error) {
    if (!(error instanceof UrlSyntaxError)) throw error;
    return { fault: error.code };
  }
}

/** A property in which a URL differs from the result of a conforming parser. */
export type DifferingUrlPropertyName = "acceptance" | "scheme" | "host" | "port" | "target";

/**
 * The default ports of the WHATWG URL Standard. The property `port` of a WHATWG `URL` is empty for the default port.
 */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443, ftp: 21 };

/** Returns the properties in which the URL differs from the expected result. */
export function findDifferingUrlProperties(
  expected: ExpectedUrl,
  { url }: ActualParseResult,
): DifferingUrlPropertyName[] {
  if (expected.failure) return url ? ["acceptance"] : [];
  if (!url) return ["acceptance"];
  const differing: DifferingUrlPropertyName[] = [];
  if (`${url.scheme}:` !== expected.protocol) differing.push("scheme");
  if (effectiveHostOf(url) !== comparableHost(expected.hostname)) differing.push("host");
  if (nonDefaultPortOf(url) !== expected.port) differing.push("port");
  if (requestTargetOf(url) !== normalizeComparedTarget(url, expected.pathname + expected.search))
    differing.push("target");
  return differing;
}

function effectiveHostOf(url: Url): string {
  return url instanceof InternetUrl ? url.effectiveHost : "";
}

/**
 * The WHATWG standard escapes non-ASCII characters in the host of an unknown scheme. Modern mode of the project's
 * parser writes A-labels.
 */
function comparableHost(hostname: string): string {
  const host = percentDecode(hostname)
    .replace(/^\[|\]$/g, "")
    .toLowerCase();
  return /^[ -~]*$/.test(host) ? host : domainToASCII(host);
}

function nonDefaultPortOf(url: Url): string {
  const port = url instanceof InternetUrl ? url.port : undefined;
  return port === undefined || Number(port) === DEFAULT_PORTS[url.scheme] ? "" : String(Number(port));
}

/** Returns the request target of an http URL, or the text after the authority of other URLs. */
function requestTargetOf(url: Url): string {
  const requestTarget = (url as { readonly requestTarget?: string }).requestTarget;
  if (requestTarget !== undefined) return normalizeComparedTarget(url, requestTarget);
  if (url instanceof FileUrl) return normalizeComparedTarget(url, `/${url.resolvedSegments.join("/")}`);
  const [, rest = ""] = /^[^:]*:(?:\/\/[^/?#]*)?([^#]*)/.exec(url.href) ?? [];
  return normalizeComparedTarget(url, rest);
}

/** A client of the WHATWG URL Standard sends an empty query as "?", but the property `search` is then empty. */
function normalizeComparedTarget(url: Url, target: string): string {
  const text = target.replace(/\?$/, "");
  // Only http sends escapes as written. Schemes other than http decode escapes.
  const hasTarget = "requestTarget" in url;
  const isSpecial = url.scheme in DEFAULT_PORTS || url.scheme === "file";
  return hasTarget ? text : percentDecode(isSpecial && text === "" ? "/" : text);
}

function percentDecode(text: string): string {
  const bytes = text.replace(/[^%]+|%[0-9a-f]{2}|%/gi, (part) =>
    part.length === 3 && part.startsWith("%")
      ? String.fromCharCode(Number.parseInt(part.slice(1), 16))
      : Buffer.from(part).toString("latin1"),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
