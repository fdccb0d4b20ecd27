import { EMPTY_BYTE_SOURCE } from "@anyscheme/core/io";
import type { ByteSource } from "@anyscheme/core/plugin";
import type { HttpResponseReader } from "../connection/http-exchange.ts";
import type { ReceivedByteCounter } from "../response/body-framing-decoder.ts";
import type { HttpResponseHead } from "../response/response-head.ts";

/** Returns a response without its body: the answer to HEAD, or status 304. */
export function createBodilessResponseReader(head: HttpResponseHead): HttpResponseReader {
  return {
    ...EMPTY_BYTE_SOURCE,
    request: { method: "HEAD", isAuthorized: false },
    responseHead: head,
    bodyLength: 0,
    completeness: "verified",
    releaseOrClose: () => undefined,
  };
}

const CACHED_REQUEST = { method: "GET", isAuthorized: false } as const;

/** Returns a stored response with its body. The limits for received bytes also apply to a stored body. */
export function createCachedResponseReader(
  head: HttpResponseHead,
  body: ByteSource,
  size: number,
  receivedBytes: ReceivedByteCounter,
): HttpResponseReader {
  const cancel = (): void => body.cancel();
  return {
    request: CACHED_REQUEST,
    responseHead: head,
    bodyLength: size,
    completeness: "verified",
    readChunks: (onChunk) =>
      body.readChunks((bytes) => {
        receivedBytes.addBodyBytes(bytes.length);
        return onChunk(bytes);
      }),
    cancel,
    releaseOrClose: cancel,
  };
}
