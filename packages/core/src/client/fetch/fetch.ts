import type { DereferenceOptions } from "../options.ts";
import { type ClientState, dereferenceOperation, type OperationDispatcher } from "../operation-dispatcher.ts";
import { checkArgument } from "../../options/check-options.ts";
import { nonArrayObjectOptionKind } from "../../options/option-kinds.ts";
import type { Resource } from "../../scheme/resource.ts";
import { type Url, UrlSyntaxError } from "../../syntax/index.ts";
import {
  FETCH_STANDARD_OPTION_KINDS,
  type FetchInit,
  type FetchInput,
  type ParsedFetchRequest,
  parseFetchInit,
  getFetchSignal,
  removeUnknownFetchInitMembers,
  removeStandardFetchOptions,
} from "./fetch-init.ts";
import { fetchByClientOperation } from "./fetch-by-client-operation.ts";
import { readBufferedBodyOrStream } from "./fetch-request-body.ts";
import {
  type AccessErrorToFetchConverter,
  createAccessErrorToFetchConverter,
  createFetchResponse,
  setResponseUrlFields,
} from "./create-fetch-response.ts";

/**
 * Fetches a URL of any scheme according to the Fetch standard. Rejects with a `TypeError` whose cause is the
 * `AccessError`, or with the reason of the signal. <https://fetch.spec.whatwg.org/>
 */
export async function fetchWithClient(
  { registry, parseUrlArgument, checkRequestOptions, options: { schemes } }: ClientState,
  dispatcher: OperationDispatcher,
  input: FetchInput,
  initOrNull?: FetchInit | null,
): Promise<Response> {
  const init = initOrNull ?? {};
  checkArgument("fetch", "init", init, nonArrayObjectOptionKind);
  const request = input instanceof Request ? input : undefined;
  const signal = getFetchSignal(init, request);
  try {
    const url = parseUrlArgument(request ? request.url : input);
    // The Fetch standard rejects URLs with credentials. ftp URLs have a login by RFC 1738.
    if (url.deviations.some(({ code }) => code === "login-not-allowed"))
      throw new TypeError("fetch: the URL has a user name or password; pass the option credentials");
    const scheme = registry.findScheme(url.scheme);
    const parsed = parseFetchInit(init, request);
    // A scheme without an option table accepts options with any name.
    const given = scheme?.requestOptions
      ? removeUnknownFetchInitMembers(parsed.options, schemes)
      : parsed.options;
    checkRequestOptions("fetch", { ...given, signal }, url.scheme, FETCH_STANDARD_OPTION_KINDS);
    if (signal?.aborted) return cancelBody(parsed, signal);
    const options = {
      ...removeStandardFetchOptions(given),
      redirect: parsed.redirect,
      throwHttpErrors: false,
      signal,
    };
    const supportsEveryMethod = scheme?.supportedOptions?.includes("method");
    const fetchFrom = supportsEveryMethod ? fetchByMethod : fetchByClientOperation;
    const { body } = parsed;
    // The body of `init` is converted before the first wait, so that later changes of a byte array have no effect.
    const isOfRequest = body instanceof ReadableStream && body === request?.body;
    const available = isOfRequest ? await readBufferedBodyOrStream(body) : body;
    return await fetchFrom(
      dispatcher,
      url,
      { ...parsed, body: available },
      options,
      createAccessErrorToFetchConverter(signal),
    );
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof TypeError) throw cause;
    const isSyntaxFault = cause instanceof UrlSyntaxError;
    throw new TypeError(isSyntaxFault ? `fetch: the URL is invalid: ${cause.message}` : "fetch failed", {
      cause,
    });
  }
}

/** Cancels the body of a request that was aborted before its start. Throws the reason of the aborted signal. */
function cancelBody({ body }: ParsedFetchRequest, signal: AbortSignal): never {
  // The `cancel` of the caller's stream may never settle, so nothing awaits it.
  if (body instanceof ReadableStream && !body.locked) body.cancel(signal.reason).catch(() => undefined);
  throw signal.reason;
}

/**
 * Performs a request on a URL of a scheme with methods, such as http. The server receives all header fields that
 * `fetch` accepts.
 */
async function fetchByMethod(
  dispatcher: OperationDispatcher,
  url: Url,
  { method, headers, body, integrity }: ParsedFetchRequest,
  options: DereferenceOptions,
  mapBodyError: AccessErrorToFetchConverter,
): Promise<Response> {
  const requestOptions = { ...options, method, body, headers: [...headers] };
  const resource = (await dispatcher.execute(dereferenceOperation, url, requestOptions)) as Resource;
  const response = await createFetchResponse(resource, { method, integrity, mapBodyError });
  return setResponseUrlFields(response, resource);
}
