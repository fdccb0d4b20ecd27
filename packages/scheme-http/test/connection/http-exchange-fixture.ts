import { http } from "@anyscheme/scheme-http";
import { AccessError, type ClientLimits } from "@anyscheme/core";
import { mergeDefaultLimitsOfSchemes, mergeLimits, type ByteSource } from "@anyscheme/core/plugin";
import { HttpExchange } from "../../src/connection/http-exchange.ts";
import { ReceivedByteCounter } from "../../src/response/body-framing-decoder.ts";
import type { HttpResponseHead } from "../../src/response/response-head.ts";
import { createReleaseRecordingConnection } from "./fake-connection.ts";

export const DEFAULT_HTTP_CLIENT_LIMITS = mergeDefaultLimitsOfSchemes([http()]);

/** Returns a source that passes a copy of one chunk at a time, because a receiver may change its bytes. */
export function createChunkSource(chunks: readonly Uint8Array[]): ByteSource {
  let next = 0;
  let isCancelled = false;
  return {
    async readChunks(take) {
      if (isCancelled) throw new AccessError("aborted", "cancelled");
      for (let chunk = chunks[next++]; chunk; chunk = chunks[next++])
        if (!take(Uint8Array.from(chunk))) return "more";
      return "end";
    },
    cancel: () => {
      isCancelled = true;
    },
  };
}

export function createHttpExchangeOnFakeConnection(
  source: ByteSource,
  limits = DEFAULT_HTTP_CLIENT_LIMITS,
  method: string = "GET",
): HttpExchange {
  return new HttpExchange(
    { method, isAuthorized: false },
    createReleaseRecordingConnection(source).connection,
    new ReceivedByteCounter(limits),
  );
}

export interface ReadResponseOutcome {
  readonly response?: HttpResponseHead;
  readonly content?: string;
  readonly error?: AccessError;
  /** True when the connection can be reused after the response. */
  readonly isReusable: boolean | undefined;
}

/** Reads a whole response from chunks. */
export async function readResponseFromChunks(
  chunks: readonly Uint8Array[],
  limits: ClientLimits = DEFAULT_HTTP_CLIENT_LIMITS,
  method: string = "GET",
): Promise<ReadResponseOutcome> {
  const { connection, releases } = createReleaseRecordingConnection(createChunkSource(chunks));
  let response: HttpResponseHead | undefined;
  let content = "";
  try {
    const exchange = new HttpExchange(
      { method, isAuthorized: false },
      connection,
      new ReceivedByteCounter(limits),
    );
    await exchange.readHead();
    response = exchange.responseHead;
    let state = "more";
    while (state === "more") {
      state = await exchange.readChunks((bytes) => {
        content += Buffer.from(bytes).toString("latin1");
        return content.length % 2 === 0;
      });
    }
    return { response, content, isReusable: releases[0] };
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return { ...(response && { response }), error, isReusable: releases[0] };
  }
}

export const encodeLatin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");
export const readResponseFromText = (text: string, limits?: ClientLimits): Promise<ReadResponseOutcome> =>
  readResponseFromChunks([encodeLatin1(text)], limits);
export const mergeTestLimits = (changes: Partial<ClientLimits>): ClientLimits =>
  mergeLimits(changes, DEFAULT_HTTP_CLIENT_LIMITS);

export const CHUNKED_RESPONSE_HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
