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

/** The chunk size for byte arrays. */
const CHUNK_BYTES = 262_144;

/** Converts a body to a stream of bytes. Text becomes UTF-8. `size` is the size that the caller specified. */
export function toUploadStream(body: UploadBody, size: number | undefined): UploadStream {
  if (typeof body === "string") return toUploadStream(new TextEncoder().encode(body), size);
  if (body instanceof Uint8Array) return { chunks: splitBytes(body), size: body.length };
  if (body instanceof Blob) return { chunks: body.stream(), size: body.size };
  checkArgument("put", "body", body, BODY);
  return { chunks: Symbol.asyncIterator in body ? body : iterateAsync(body), size };
}

async function* splitBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

async function* iterateAsync(bytes: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* bytes;
}
