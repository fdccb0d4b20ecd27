import { checkArgument } from "../options/check-options.ts";
import type { OptionKind } from "../options/option-kinds.ts";
import type { UploadStream, UploadBody } from "../scheme/operation.ts";

const BODY: OptionKind = {
  expects: "a string, a Uint8Array, a Blob, a ReadableStream or an iterable of Uint8Array",
  accepts: (value) =>
    typeof value === "object" &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value),
};

/** Pieces of at most this size go to a scheme; a large array is no reason for a large write. */
const PIECE_BYTES = 262_144;

/** Anything that can be put, as bytes with a size where it has one. Text is UTF-8. `size` is what the caller says. */
export function toUploadStream(body: UploadBody, size: number | undefined): UploadStream {
  if (typeof body === "string") return toUploadStream(new TextEncoder().encode(body), size);
  if (body instanceof Uint8Array) return { chunks: splitBytes(body), size: body.length };
  if (body instanceof Blob) return { chunks: readStream(body.stream()), size: body.size };
  if (body instanceof ReadableStream) return { chunks: readStream(body), size };
  checkArgument("put", "body", body, BODY);
  return { chunks: Symbol.asyncIterator in body ? body : iterated(body), size };
}

async function* splitBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

async function* iterated(bytes: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* bytes;
}

/** Not every platform's streams can be iterated. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let over = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      over = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!over) await reader.cancel();
  }
}
