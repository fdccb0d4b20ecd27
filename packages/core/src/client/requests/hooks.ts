import { AccessError } from "../../errors/access-error.ts";
import { callAsyncCallback } from "../../errors/callback.ts";
import * as kind from "../../options/option-kinds.ts";
import { Content } from "../../resources/content.ts";
import type { OperationResult } from "../../scheme/operation.ts";
import type { Resource } from "../../scheme/resource.ts";
import type { Url } from "../../syntax/index.ts";
import { runBetweenHops } from "./between-hops.ts";
import { mergeHeaders } from "./headers.ts";
import { joinHooks, type RequestChanges } from "./hook-options.ts";
import type { RequestState } from "../hop.ts";

/** Executes one attempt of a request, with its hooks before and after the attempt. */
export async function executeWithHooks(
  request: RequestState,
  url: Url,
  attempt: number,
  execute: (request: RequestState) => Promise<OperationResult>,
): Promise<OperationResult> {
  const { onRequest, onResponse } = request.options;
  const result = await execute(onRequest ? await callRequestHooks(request, url, attempt) : request);
  if (!onResponse) return result;
  try {
    await callResponseHooks(request, result, attempt);
  } catch (error) {
    if ("close" in result) await (result as Resource).close();
    throw error;
  }
  return result;
}

async function callRequestHooks(request: RequestState, url: Url, attempt: number): Promise<RequestState> {
  const { operation, options } = request;
  let headers = mergeHeaders((options as { headers?: unknown }).headers);
  await runBetweenHops(request, url, async (signal) => {
    for (const onRequest of joinHooks(options.onRequest, undefined)) {
      const event = { url, operation: operation.name, headers, attempt, signal };
      const changes: unknown = await callAsyncCallback("onRequest", onRequest, event);
      if (!isRequestChanges(changes))
        throw new AccessError("plugin", "the callback onRequest did not return { headers } with strings");
      headers = mergeHeaders(headers, changes?.headers);
    }
  });
  return headers.length === 0 ? request : { ...request, options: { ...options, headers } as typeof options };
}

function isRequestChanges(value: unknown): value is RequestChanges | undefined {
  if (value === undefined) return true;
  if (!kind.plainObject.accepts(value)) return false;
  const { headers, ...others } = value as Record<string, unknown>;
  const areStrings =
    headers === undefined ||
    (kind.plainObject.accepts(headers) &&
      Object.values(headers as object).every((each) => each === undefined || typeof each === "string"));
  return areStrings && Object.keys(others).length === 0;
}

async function callResponseHooks(
  request: RequestState,
  result: OperationResult,
  attempt: number,
): Promise<void> {
  const { operation, options, startedAtMs } = request;
  const { url, redirectChain } = result;
  const head = result.response ?? Content.getResponseHead(result);
  await runBetweenHops(request, url, async (signal) => {
    for (const onResponse of joinHooks(options.onResponse, undefined))
      await callAsyncCallback("onResponse", onResponse, {
        url,
        redirectChain,
        operation: operation.name,
        kind: (result as Partial<Resource>).kind,
        status: head?.status,
        headers: [...(head?.headers ?? [])],
        attempt,
        elapsedMs: performance.now() - startedAtMs,
        signal,
      });
  });
}
