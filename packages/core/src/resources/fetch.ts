import { parseRangeHeader } from "../text/range-header.ts";
import { parseHttpDate } from "../text/http-date.ts";
import { type OperationResult, toUploadStream } from "../scheme/operation.ts";
import type { Range } from "../scheme/plan.ts";
import type { Resource } from "../scheme/resource.ts";
import type { Url } from "../syntax/index.ts";
import { checkArgument } from "../options/check-options.ts";
import { plainObject } from "../options/option-kinds.ts";
import type { RequestOptionChecker, DereferenceOptions } from "../client/options.ts";
import {
  type FetchBody,
  FETCH_OPTION_KINDS,
  type FetchInit,
  type FetchInput,
  parseFetchInit,
  stripFetchOptions,
} from "./fetch-init.ts";
import type { UrlInputParser } from "../client/registry.ts";
import { createEmptyResponse, toResponse } from "./response.ts";
import { dereferenceOperation, createOperationHandler, type OperationHandler } from "../client/dispatcher.ts";

/** The parts of a client that `fetch` uses. */
export interface FetchClient {
  readonly parseUrlInput: UrlInputParser;
  readonly checkRequestOptions: RequestOptionChecker;
  readonly execute: (
    operation: OperationHandler,
    url: Url,
    options: DereferenceOptions,
  ) => Promise<OperationResult>;
}

/**
 * The header fields that the http scheme sets itself. The standard forbids most of them and drops them silently.
 * <https://fetch.spec.whatwg.org/#forbidden-request-header>
 */
const IGNORED_HEADERS: ReadonlySet<string> = new Set([
  "accept-charset",
  "accept-encoding",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "if-match",
  "if-range",
  "if-unmodified-since",
  "keep-alive",
  "referer",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
]);

/**
 * Fetches a URL of any scheme according to the Fetch standard. Rejects with a `TypeError` whose cause is the
 * `AccessError`, or with the reason of the signal.
 */
export async function fetchWithClient(
  client: FetchClient,
  input: FetchInput,
  init: FetchInit = {},
): Promise<Response> {
  checkArgument("fetch", "init", init, plainObject);
  const request = input instanceof Request ? input : undefined;
  const signal = init.signal ?? request?.signal;
  try {
    const url = client.parseUrlInput(request ? request.url : input);
    // The Fetch standard rejects URLs with credentials. ftp URLs have a login by RFC 1738.
    if (url.deviations.some(({ code }) => code === "login-not-allowed"))
      throw new TypeError("fetch: the URL has a user name or password; pass the option credentials");
    const { method, headers, body, redirect, options } = parseFetchInit(init, request);
    client.checkRequestOptions("fetch", options, url.scheme, FETCH_OPTION_KINDS);
    signal?.throwIfAborted();
    const schemeOptions = { redirect, throwHttpErrors: false };
    const asked = {
      ...stripFetchOptions(options),
      ...parseRequestHeaders(headers),
      ...schemeOptions,
      signal,
    };
    return await performHttpMethod(client, method, url, body, asked);
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw cause instanceof TypeError ? cause : new TypeError("fetch failed", { cause });
  }
}

async function performHttpMethod(
  client: FetchClient,
  method: string,
  url: Url,
  body: FetchBody | undefined,
  options: DereferenceOptions,
): Promise<Response> {
  if (body !== undefined && method !== "PUT")
    throw new TypeError(`a request with ${method} cannot have a body`);
  switch (method) {
    case "GET": {
      const resource = (await client.execute(dereferenceOperation, url, options)) as Resource;
      return setResponseUrl(addContentRange(toResponse(resource), resource, options.range), resource);
    }
    case "HEAD": {
      const stat = await client.execute(createOperationHandler("stat"), url, options);
      return setResponseUrl(createEmptyResponse(stat.response, { headers: createStatHeaders(stat) }), stat);
    }
    case "PUT": {
      // The class `Response` converts every kind of body and sets its media type.
      const given = new Response(body ?? "");
      const mediaType = given.headers.get("content-type") ?? undefined;
      const content =
        body instanceof ReadableStream ? (given.body ?? "") : new Uint8Array(await given.arrayBuffer());
      const upload = toUploadStream(content, undefined);
      const work = createOperationHandler("put", { mediaType, ...options, size: upload.size, upload });
      const put = await client.execute(work, url, options);
      return setResponseUrl(createEmptyResponse(put.response, { status: 204 }), put);
    }
    case "DELETE": {
      const deleted = await client.execute(createOperationHandler("delete"), url, options);
      return setResponseUrl(createEmptyResponse(deleted.response, { status: 204 }), deleted);
    }
    default:
      throw new TypeError(`fetch does not support the method ${method}`);
  }
}

/** Converts header fields to options such as `range`. Returns the remaining header fields as `headers`. */
function parseRequestHeaders(
  headers: Headers,
): DereferenceOptions & { headers?: [string, string][]; mediaType?: string } {
  const range = parseRangeHeader(headers.get("range"));
  const ifModifiedSince = parseHttpDate(headers.get("if-modified-since") ?? undefined);
  const ifNoneMatch = headers.get("if-none-match") ?? undefined;
  const mediaType = headers.get("content-type") ?? undefined;
  for (const name of ["range", "if-modified-since", "if-none-match", "content-type", ...IGNORED_HEADERS])
    headers.delete(name);
  const left = [...headers];
  return {
    ...(range && { range }),
    ...(ifModifiedSince && { ifModifiedSince }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch }),
    ...(mediaType !== undefined && { mediaType }),
    ...(left.length > 0 && { headers: left }),
  };
}

/** Adds status 206 and Content-Range to a partial content of any scheme. */
function addContentRange(response: Response, resource: Resource, range: Range | undefined): Response {
  if (!range || response.status !== 200 || resource.kind !== "content") return response;
  const headers = new Headers(response.headers);
  // A range that begins at the end of the content returns an empty body. HTTP requires status 416. RFC 9110 §15.5.17.
  if (resource.size === 0 && range.start > 0) {
    void response.body?.cancel();
    const fields = { "content-range": `bytes */${range.start}` };
    return new Response(null, { status: 416, statusText: "Range Not Satisfiable", headers: fields });
  }
  if (resource.size !== undefined)
    headers.set("content-range", `bytes ${range.start}-${range.start + resource.size - 1}/*`);
  return new Response(response.body, { status: 206, statusText: "Partial Content", headers });
}

function createStatHeaders(stat: object): Headers {
  const { size, modified, mediaType } = stat as { size?: number; modified?: Date; mediaType?: string };
  const headers = new Headers();
  if (mediaType !== undefined) headers.set("content-type", mediaType);
  if (size !== undefined) headers.set("content-length", String(size));
  if (modified) headers.set("last-modified", modified.toUTCString());
  return headers;
}

/** Sets `url` and `redirected`, which the constructor of `Response` leaves empty. */
function setResponseUrl(
  response: Response,
  { url, redirectChain: via }: Pick<OperationResult, "url" | "redirectChain">,
): Response {
  const text = { value: String(url).replace(/#.*$/s, ""), enumerable: true };
  return Object.defineProperties(response, {
    url: text,
    redirected: { value: via.length > 0, enumerable: true },
  });
}
