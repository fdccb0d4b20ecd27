import {
  createOperationDefinition,
  createPutOperationForBody,
  dereferenceOperation,
  type OperationDispatcher,
} from "../operation-dispatcher.ts";
import type { DereferenceOptions } from "../options.ts";
import type { Stat } from "../../scheme/operation.ts";
import type { Range } from "../../scheme/plan.ts";
import { createMetadataHeaders } from "../../resources/resource-to-response.ts";
import type { Resource } from "../../scheme/resource.ts";
import type { Url } from "../../syntax/index.ts";
import { parseHttpDate } from "../../text/http-date.ts";
import { parseSingleRangeHeader } from "../../text/parse-range-header.ts";
import type { ResponseWithBufferingLimit } from "./response-with-buffering-limit.ts";
import type { ParsedFetchRequest } from "./fetch-init.ts";
import { isStreamBody } from "./fetch-request-body.ts";
import {
  type AccessErrorToFetchConverter,
  createFetchResponse,
  createBodilessFetchResponse,
  setResponseUrlFields,
} from "./create-fetch-response.ts";

/** The HTTP methods that `fetch` supports for schemes without methods of their own. */
const OPERATION_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"]);

/**
 * The header fields that have a meaning only in HTTP. A `fetch` of a URL of another scheme ignores these header fields.
 */
const HTTP_HEADERS: readonly string[] = [
  "accept-charset",
  "accept-encoding",
  "cookie",
  "if-match",
  "if-range",
  "if-unmodified-since",
  "referer",
  "via",
];

/**
 * Performs a request on a URL of a scheme without methods: GET, HEAD, PUT and DELETE are operations of the client.
 * Throws `TypeError` for a method other than these four, and for a body with a method other than PUT.
 */
export async function fetchByClientOperation(
  dispatcher: OperationDispatcher,
  url: Url,
  { method, headers, body, integrity }: ParsedFetchRequest,
  requestOptions: DereferenceOptions,
  mapBodyError: AccessErrorToFetchConverter,
): Promise<Response> {
  if (!OPERATION_METHODS.has(method))
    throw new TypeError(`fetch: the scheme ${url.scheme} does not support the method ${method}`);
  if (body !== undefined && method !== "PUT")
    throw new TypeError(
      `fetch: a request with ${method} to a URL of the scheme ${url.scheme} cannot have a body`,
    );
  const options = { exactBytes: true, ...requestOptions, ...parseRequestHeaders(headers) };
  switch (method) {
    case "GET": {
      const resource = (await dispatcher.execute(dereferenceOperation, url, options)) as Resource;
      const response = await createFetchResponse(resource, { method, integrity, mapBodyError });
      return setResponseUrlFields(addContentRange(response, resource, options.range), resource);
    }
    case "HEAD": {
      const stat = await dispatcher.execute(createOperationDefinition("stat"), url, options);
      return createBodilessFetchResponse(stat, { headers: createMetadataHeaders(stat as Stat) });
    }
    case "PUT": {
      // The class `Response` converts every kind of body and sets its media type.
      const given = new Response(body ?? "");
      const mediaType = options.mediaType ?? given.headers.get("content-type") ?? undefined;
      const content = isStreamBody(body) ? (given.body ?? "") : new Uint8Array(await given.arrayBuffer());
      const put = createPutOperationForBody(content, { mediaType });
      return createBodilessFetchResponse(await dispatcher.execute(put, url, options), { status: 204 });
    }
    default: {
      const result = await dispatcher.execute(createOperationDefinition("delete"), url, options);
      return createBodilessFetchResponse(result, { status: 204 });
    }
  }
}

/**
 * Converts header fields of a `fetch` request to request options such as `range`. Returns the header fields without a
 * corresponding option as the request option `headers`.
 */
function parseRequestHeaders(
  headers: Headers,
): DereferenceOptions & { headers?: [string, string][]; mediaType?: string } {
  const range = parseSingleRangeHeader(headers.get("range"));
  const ifModifiedSince = parseHttpDate(headers.get("if-modified-since") ?? undefined);
  const ifNoneMatch = headers.get("if-none-match") ?? undefined;
  const mediaType = headers.get("content-type") ?? undefined;
  for (const name of ["range", "if-modified-since", "if-none-match", "content-type", ...HTTP_HEADERS])
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

/** Adds status 206 and Content-Range to a response with a part of the content, for any scheme. */
function addContentRange(response: Response, resource: Resource, range: Range | undefined): Response {
  if (!range || response.status !== 200 || resource.kind !== "content") return response;
  const headers = new Headers(response.headers);
  // The access methods of schemes other than http return an empty body for a range that begins at the end of the
  // content. HTTP defines the status 416 for a range without bytes of the content. RFC 9110 §15.5.17.
  if (resource.size === 0 && range.start > 0) {
    void response.body?.cancel();
    const fields = { "content-range": `bytes */${range.start}` };
    return new Response(null, { status: 416, statusText: "Range Not Satisfiable", headers: fields });
  }
  if (resource.size !== undefined)
    headers.set("content-range", `bytes ${range.start}-${range.start + resource.size - 1}/*`);
  const head = { status: 206, statusText: "Partial Content", headers };
  return "withHead" in response
    ? (response as ResponseWithBufferingLimit).withHead(head)
    : new Response(response.body, head);
}
