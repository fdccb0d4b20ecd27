/**
 * True for a body that `fetch` reads as a stream. The length of the stream is unknown, and the stream can be sent only
 * once.
 */
export function isStreamBody(body: unknown): body is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body && !(body instanceof Blob);
}

/** The maximum number of bytes of a `Request` body that are read in advance, apart from the last chunk. */
const MAX_AVAILABLE_BYTES = 1_048_576;

/** The maximum number of chunks of a `Request` body that are read in advance. A stream may consist of empty chunks. */
const MAX_AVAILABLE_CHUNKS = 1_024;

/** The number of turns of the event loop in which the parts of a Blob in memory become available. */
const AVAILABLE_TURNS = 3;

async function waitForTurns(): Promise<undefined> {
  for (let turn = 0; turn < AVAILABLE_TURNS; turn++)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}

/**
 * Reads the part of the body of a `Request` that is in memory, because a `Request` does not show whether its body was a
 * string or a stream. Returns the bytes if the body has ended, so that the body has a length and can be sent again.
 * Returns a stream of the whole body if the body has not ended.
 */
export async function readBufferedBodyOrStream(
  body: ReadableStream<Uint8Array>,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let pending: ReturnType<typeof reader.read> | undefined;
  for (let length = 0; length <= MAX_AVAILABLE_BYTES && chunks.length < MAX_AVAILABLE_CHUNKS;) {
    pending = reader.read();
    const result = await Promise.race([pending, waitForTurns()]);
    if (!result) break;
    pending = undefined;
    if (result.done) return Buffer.concat(chunks);
    chunks.push(result.value);
    length += result.value.byteLength;
  }
  pending?.catch(() => undefined);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = chunks.shift();
        if (chunk) return controller.enqueue(chunk);
        const next = pending ?? reader.read();
        pending = undefined;
        const { done, value } = await next;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
