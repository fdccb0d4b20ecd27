import type { EchoedRequest } from "./fetch-test-server.ts";

export type FetchFunction = typeof fetch;

/** The HTTP servers of a comparison case of `fetch`: two origins with the same paths. */
export interface ServerOriginPair {
  readonly origin: string;
  readonly otherOrigin: string;
}

/** A case of the Fetch standard: calls of `fetch`, and the results that a program observes. */
export interface FetchComparisonCase {
  readonly title: string;
  /** Resolves to a value without ports and dates, so that the results of two implementations can be compared. */
  readonly observe: (fetch: FetchFunction, origins: ServerOriginPair) => Promise<unknown>;
}

type Init = RequestInit & { readonly duplex?: "half" };

/** Describes an error as a program distinguishes it: the name, and the message of the errors of `fetch` itself. */
export function describeErrorForComparison(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const isOfFetch = error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message);
  return isOfFetch ? `TypeError: ${error.message}` : error.name;
}

/** Resolves to the value of the promise, or to the description of its error. */
export async function awaitOrDescribeError(value: Promise<unknown>): Promise<unknown> {
  return value.catch(describeErrorForComparison);
}

/** Returns the request that the server has received, with some of its header fields. */
export async function readEchoedRequest(
  response: Promise<Response>,
  ...names: readonly string[]
): Promise<Omit<EchoedRequest, "headers"> & { headers: Record<string, string> }> {
  const { method, url, headers, body } = (await (await response).json()) as EchoedRequest;
  const lowerCase = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const chosen = lowerCase.filter(([name]) => names.includes(name));
  return { method, url, headers: Object.fromEntries(chosen), body };
}

/** Returns a comparison case of `fetch` whose request the server echoes. */
export function createEchoCase(
  title: string,
  init: () => Init,
  names: readonly string[] = [],
  path = "/echo",
): FetchComparisonCase {
  return {
    title,
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(readEchoedRequest(fetch(`${origin}${path}`, init()), ...names)),
  };
}

/** Returns the properties of a response, and its body as text, for the comparison of two fetch functions. */
export async function readResponseProperties(response: Response, origin: string): Promise<unknown> {
  const { status, statusText, ok, redirected, type, url } = response;
  const text = await awaitOrDescribeError(response.text());
  return { status, statusText, ok, redirected, type, url: url.replace(origin, ""), text };
}

/** Returns a comparison case that describes the response to a request by `fetch`. */
export function createResponsePropertiesCase(
  title: string,
  path: string,
  init?: () => Init,
): FetchComparisonCase {
  return {
    title,
    observe: (fetch, { origin, otherOrigin }) =>
      awaitOrDescribeError(
        fetch(`${origin}${path.replace("OTHER", encodeURIComponent(otherOrigin))}`, init?.()).then(
          (response) =>
            readResponseProperties(response, response.url.startsWith(otherOrigin) ? otherOrigin : origin),
        ),
      ),
  };
}

/** Creates a stream of texts, which a request sends in chunks. */
export function createStreamFromTexts(...texts: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}
