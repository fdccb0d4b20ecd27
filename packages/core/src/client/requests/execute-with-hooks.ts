import { AccessError } from "../../errors/access-error.ts";
import { callAsyncUserCallback } from "../../errors/call-user-callback.ts";
import { nonArrayObjectOptionKind } from "../../options/option-kinds.ts";
import type { OperationResult } from "../../scheme/operation.ts";
import type { Resource } from "../../scheme/resource.ts";
import type { Url } from "../../syntax/index.ts";
import { runWithRequestTimeout } from "./request-timeout.ts";
import { mergeHeaders } from "./merge-headers.ts";
import { concatHookFunctions, type RequestHookHeaderChanges, type RequestHook } from "./hook-options.ts";
import { formatUrlForMessages, type PreviousHops, type RequestContext } from "../request-hop.ts";
import { hasLeftOrigin } from "../redirect-rules.ts";

/** Executes one attempt of a request, with its hooks before each hop and after the attempt. */
export async function executeWithHooks(
  request: RequestContext,
  attempt: number,
  execute: (request: RequestContext) => Promise<OperationResult>,
): Promise<OperationResult> {
  const { onRequest, onResponse } = request.options;
  const result = await execute(
    onRequest
      ? {
          ...request,
          callRequestHooks: (current, url, referrer) =>
            callRequestHooks(current, concatHookFunctions(onRequest), { url, referrer, attempt }),
        }
      : request,
  );
  if (!onResponse) return result;
  try {
    await callResponseHooks(request, result, attempt);
  } catch (error) {
    if ("close" in result) await (result as Resource).close();
    throw error;
  }
  return result;
}

interface NextHop {
  readonly url: Url;
  readonly referrer: PreviousHops | undefined;
  readonly attempt: number;
}

/** Calls the `onRequest` hooks in order. Resolves to the request with the headers that the hooks have set. */
async function callRequestHooks(
  request: RequestContext,
  hooks: readonly RequestHook[],
  { url, referrer, attempt }: NextHop,
): Promise<RequestContext> {
  const { operation, options, masker } = request;
  const redirectChain = referrer?.redirectChain ?? [];
  const isCrossOrigin = hasLeftOrigin(redirectChain, url);
  const shownUrl = formatUrlForMessages(url, referrer?.previousHop !== undefined && masker.isMasking);
  let headers = mergeHeaders((options as { headers?: unknown }).headers);
  await runWithRequestTimeout(request, shownUrl, async (signal) => {
    for (const onRequest of hooks) {
      const event = {
        url,
        redirectChain,
        isCrossOrigin,
        operation: operation.name,
        headers,
        attempt,
        signal,
      };
      const changes: unknown = await callAsyncUserCallback("onRequest", onRequest, event);
      if (!isRequestChanges(changes))
        throw new AccessError("plugin", "the callback onRequest did not return { headers } with strings");
      if (!isCrossOrigin || changes?.crossOrigin) headers = mergeHeaders(headers, changes?.headers);
    }
  });
  return headers.length === 0 ? request : { ...request, options: { ...options, headers } as typeof options };
}

function isRequestChanges(value: unknown): value is RequestHookHeaderChanges | undefined {
  if (value === undefined) return true;
  if (!nonArrayObjectOptionKind.accepts(value)) return false;
  const { headers, crossOrigin = false, ...others } = value as Record<string, unknown>;
  const areStrings =
    headers === undefined ||
    (nonArrayObjectOptionKind.accepts(headers) &&
      Object.values(headers as object).every((each) => each === undefined || typeof each === "string"));
  return areStrings && typeof crossOrigin === "boolean" && Object.keys(others).length === 0;
}

async function callResponseHooks(
  request: RequestContext,
  result: OperationResult,
  attempt: number,
): Promise<void> {
  const { operation, options, startedAtMs } = request;
  const { url, redirectChain, response } = result;
  await runWithRequestTimeout(request, String(url), async (signal) => {
    for (const onResponse of concatHookFunctions(options.onResponse))
      await callAsyncUserCallback("onResponse", onResponse, {
        url,
        redirectChain,
        operation: operation.name,
        kind: (result as Partial<Resource>).kind,
        status: response?.status,
        headers: [...(response?.headers ?? [])],
        attempt,
        elapsedMs: performance.now() - startedAtMs,
        signal,
      });
  });
}
