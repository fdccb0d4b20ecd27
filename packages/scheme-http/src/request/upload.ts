import { AccessError } from "@anyscheme/core";
import { writeChunk } from "@anyscheme/core/io";
import type { AccessContext } from "@anyscheme/core/plugin";
import type { HttpConnection } from "../connection/http-connection.ts";
import {
  type RequestBodyReader,
  createRequestBodyReadError,
  type RequestBodyWithType,
} from "./request-body.ts";

/** A request body that is being sent. */
export interface RunningBodyUpload {
  /** The number of bytes of the body that the client has sent. */
  readonly sentBytes: number;
  /** True after the last byte of the body has been sent. */
  readonly isComplete: boolean;
  /**
   * Resolves when the whole body has been sent, or when `stop` has ended the sending. Rejects with `plugin` when the
   * body cannot be read, with `incomplete` when its length is not the announced length, and with `timeout` when the
   * server does not read.
   */
  readonly completion: Promise<void>;
  /** Stops the sending and cancels the unread part of the body. After `stop`, the connection cannot be reused. */
  stop(reason?: unknown): void;
}

/**
 * Starts to send a body, one chunk at a time. Reads the next chunk after the socket has accepted the previous chunk.
 * The connection cannot be reused before the upload is complete. RFC 9112 §6.
 */
export function startBodyUpload(
  connection: HttpConnection,
  context: Pick<AccessContext, "limits" | "trace">,
  body: RequestBodyWithType,
): RunningBodyUpload {
  const { socket } = connection;
  const stopping = new AbortController();
  let reader: RequestBodyReader | undefined;
  let sentBytes = 0;
  let isComplete = false;

  function stop(reason?: unknown): void {
    if (isComplete || stopping.signal.aborted) return;
    stopping.abort();
    reader?.cancel(reason);
  }

  async function readChunk(): Promise<Uint8Array | undefined> {
    let chunk: unknown;
    try {
      chunk = await reader?.next();
    } catch (cause) {
      throw createRequestBodyReadError(cause);
    }
    if (chunk === undefined || chunk instanceof Uint8Array) return chunk;
    throw createRequestBodyReadError(new TypeError("a chunk of the body is no Uint8Array"));
  }

  async function send(): Promise<void> {
    const { size } = body;
    reader = body.open();
    for (let chunk = await readChunk(); chunk; chunk = await readChunk()) {
      if (stopping.signal.aborted || socket.destroyed) return;
      if (chunk.length === 0) continue;
      sentBytes += chunk.length;
      if (size !== undefined && sentBytes > size) throw createBodySizeError("is longer", size);
      const parts = size === undefined ? encodeChunk(chunk) : [chunk];
      await writeChunk(socket, parts, context.limits, stopping.signal);
    }
    if (stopping.signal.aborted || socket.destroyed) return;
    if (size === undefined) socket.write("0\r\n\r\n");
    else if (sentBytes < size) throw createBodySizeError(`ended after ${sentBytes} bytes`, size);
    isComplete = true;
    connection.isSendingBody = false;
    context.trace({ action: "transfer", text: `${sentBytes} bytes` });
  }

  connection.isSendingBody = true;
  const finished = send().catch((error: unknown) => {
    stop(error);
    throw error;
  });
  // `HttpRequestSender` may receive the response before it waits for the end of the upload.
  finished.catch(() => undefined);
  return {
    get sentBytes() {
      return sentBytes;
    },
    get isComplete() {
      return isComplete;
    },
    completion: finished,
    stop,
  };
}

// chunk = chunk-size CRLF chunk-data CRLF            RFC 9112 §7.1
function encodeChunk(bytes: Uint8Array): (string | Uint8Array)[] {
  return [`${bytes.length.toString(16)}\r\n`, bytes, "\r\n"];
}

function createBodySizeError(fault: string, size: number): AccessError {
  return new AccessError(
    "incomplete",
    `the body of the upload ${fault}, but the caller stated a size of ${size} bytes`,
  );
}
