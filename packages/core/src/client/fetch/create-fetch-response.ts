import { AccessError } from "../../errors/access-error.ts";
import type { OperationResult } from "../../scheme/operation.ts";
import type { Resource } from "../../scheme/resource.ts";
import type { Url } from "../../syntax/index.ts";
import type { Content } from "../../resources/content.ts";
import { hasLeftOrigin } from "../redirect-rules.ts";
import {
  createResponseInitFromHead,
  directoryOrNotModifiedToResponse,
} from "../../resources/resource-to-response.ts";

/** Converts the error of a response's body to the error with which the body's stream fails. */
export type AccessErrorToFetchConverter = (error: AccessError) => unknown;

/**
 * Converts errors of response bodies to those of the Fetch standard. After an abort, the error is the reason of the
 * caller's signal. Without an abort, the error of the response body is a `TypeError` whose cause is the `AccessError`.
 * <https://fetch.spec.whatwg.org/#abort-fetch>
 */
export function createAccessErrorToFetchConverter(
  signal: AbortSignal | undefined,
): AccessErrorToFetchConverter {
  return (cause) => (signal?.aborted ? (signal.reason as unknown) : new TypeError("terminated", { cause }));
}

export interface FetchResponseOptions {
  readonly method: string;
  /** The integrity metadata of the request. Empty for none. */
  readonly integrity: string;
  readonly mapBodyError: AccessErrorToFetchConverter;
}

/**
 * Converts a resource to the response of `fetch`. A response to HEAD has no body. Throws `TypeError` for a body that
 * differs from the integrity metadata, which is compared after the whole body has been read.
 */
export async function createFetchResponse(resource: Resource, init: FetchResponseOptions): Promise<Response> {
  try {
    return await convertResource(resource, init);
  } catch (error) {
    // The resource is closed here, because the caller of `fetch` receives only the error and cannot close the
    // connection.
    (resource as Partial<Content>).close?.().catch(() => undefined);
    throw error;
  }
}

async function convertResource(
  resource: Resource,
  { method, integrity, mapBodyError }: FetchResponseOptions,
): Promise<Response> {
  if (resource.kind !== "content") return directoryOrNotModifiedToResponse(resource, mapBodyError);
  // The content resources of a client are instances of `Content`, because only the client's `createContent` creates
  // them.
  const content = resource as Content;
  if (method === "HEAD") return content.toResponse(null);
  if (integrity === "") {
    // The class `ResponseWithBufferingLimit` is imported here, because it extends `Response`, whose first use loads the
    // `fetch` of Node.js.
    const { ResponseWithBufferingLimit } = await import("./response-with-buffering-limit.ts");
    return content.toFetchResponse(ResponseWithBufferingLimit, mapBodyError);
  }
  const bytes = await content.bytes();
  const { matchesIntegrity } = await import("./integrity.ts");
  if (!matchesIntegrity(bytes, integrity))
    throw new TypeError("fetch failed", {
      cause: new AccessError("protocol", "the body differs from the option integrity"),
    });
  return content.toResponse(bytes);
}

/** Sets `url`, `redirected` and `type`, which the constructor of `Response` cannot set, also for clones. */
export function setResponseUrlFields(response: Response, { url, redirectChain }: OperationResult): Response {
  const text = formatResponseUrl(url);
  const type = hasLeftOrigin(redirectChain, url) ? "cors" : "basic";
  return defineResponseFields(response, { url: text, redirected: redirectChain.length > 0, type });
}

type ResponseFields = Pick<Response, "url" | "redirected" | "type">;

function defineResponseFields(response: Response, fields: ResponseFields): Response {
  const { clone: cloneBody } = Object.getPrototypeOf(response) as Response;
  const clone = (): Response => defineResponseFields(cloneBody.call(response), fields);
  const enumerable = true;
  return Object.defineProperties(response, {
    url: { value: fields.url, enumerable },
    redirected: { value: fields.redirected, enumerable },
    type: { value: fields.type, enumerable },
    clone: { value: clone },
  });
}

/** Returns the URL of a response without its fragment, for http and https in the form of the URL Standard. */
function formatResponseUrl(url: Url): string {
  const text = String(url).replace(/#.*$/s, "");
  return /^https?$/.test(url.scheme) && URL.canParse(text) ? new URL(text).href : text;
}

/**
 * Returns the response to an operation without a body, such as `delete`. `otherwise` describes the response of a scheme
 * whose servers send no status and headers.
 */
export function createBodilessFetchResponse(
  result: OperationResult,
  otherwise: NonNullable<ConstructorParameters<typeof Response>[1]>,
): Response {
  const init = result.response ? createResponseInitFromHead(result.response) : otherwise;
  return setResponseUrlFields(new Response(null, init), result);
}
