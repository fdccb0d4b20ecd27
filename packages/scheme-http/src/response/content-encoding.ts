import * as zlib from "node:zlib";
import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource, serverText } from "@anyscheme/core/plugin";
import { type ContentCoding, type Decompressor, decompress } from "./decompress.ts";
import type { ReceivedBytes } from "./received-bytes.ts";
import type { HttpResponse } from "./response.ts";

/** zstd is there from Node 22.15 and 23.8 on. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Decompressor };

const gzip: ContentCoding = { makeDecoder: () => zlib.createGunzip() };
// RFC 1950 §2.2: the method 8 stands in the first four bits. Some servers take "deflate" for the bare format of RFC 1951.
const deflate: ContentCoding = {
  makeDecoder: (firstByte) => ((firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
};
const brotli: ContentCoding = { makeDecoder: () => zlib.createBrotliDecompress() };

/** The codings of IANA's registry that we decode. RFC 9110 §8.4.1, RFC 7932, RFC 8878. */
const DECODERS: ReadonlyMap<string, ContentCoding> = new Map<string, ContentCoding>([
  ["gzip", gzip],
  ["deflate", deflate],
  ["br", brotli],
  // RFC 8878 §3.1: "Zstandard compressed data is made up of one or more frames." Node's decoder of gzip reads all members itself.
  ...(createZstdDecompress
    ? [["zstd", { makeDecoder: () => createZstdDecompress(), hasFrames: true }] as const]
    : []),
  // RFC 9110 §8.4.1.3: "A recipient SHOULD consider "x-gzip" to be equivalent to "gzip"."
  ["x-gzip", gzip],
]);

/** The codings to ask for, in the order of preference. RFC 9110 §12.5.3. */
export const ACCEPT_ENCODING: string = [...DECODERS.keys()]
  .filter((name) => !name.startsWith("x-"))
  .join(", ");

/** Names of no coding: RFC 9110 §8.4.1 reserves `identity`, and servers also write `none`. */
const NO_CODING: ReadonlySet<string> = new Set(["", "identity", "none"]);

/** Returns the codings of a content in the order in which they were applied. RFC 9110 §8.4. */
export function contentCodings({ headers }: HttpResponse): string[] {
  const names = (headers["content-encoding"] ?? []).flatMap((value) => value.toLowerCase().split(","));
  return names.map((name) => name.trim()).filter((name) => !NO_CODING.has(name));
}

/**
 * The content without its codings. Throws `unsupported` for a coding that we do not know, and `limit` for too many; reading
 * fails with `limit` when far more comes out than went in, or nothing at all.
 */
export function decodeContent(
  source: ByteSource,
  codings: readonly string[],
  limits: Limits,
  received: ReceivedBytes,
): ByteSource {
  if (codings.length > limits.maxContentCodings)
    throw limitError("maxContentCodings", limits, "the content has too many content codings");
  // Counted over all codings together: one that expands little can follow one that expands much.
  return codings.toReversed().reduce((inner, name, index) => {
    const coding = DECODERS.get(name);
    if (coding) return decompress(inner, coding, limits, received, index === 0);
    const shown = name.replace(/[^\x21-\x7e ]/g, "?").slice(0, 100);
    const what = ["the server used the content coding ", serverText(shown), ", which was not asked for"];
    throw new AccessError("unsupported", what);
  }, source);
}
