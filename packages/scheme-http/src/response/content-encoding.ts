// The namespace import supports versions of Deno whose node:zlib has no zstd.
import * as zlib from "node:zlib";
import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource, serverText } from "@anyscheme/core/plugin";
import { type ContentCoding, decompress } from "./decompress.ts";
import type { ReceivedBytes } from "./received-bytes.ts";
import { type HttpResponse, printable } from "./response.ts";

const gzip: ContentCoding = { createDecompressor: () => zlib.createGunzip() };
// RFC 1950 §2.2: zlib data has the method 8 in its low four bits. Some servers send raw deflate data (RFC 1951)
// instead.
const deflate: ContentCoding = {
  createDecompressor: (firstByte) =>
    (firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw(),
};
const brotli: ContentCoding = { createDecompressor: () => zlib.createBrotliDecompress() };
// RFC 8878 §3.1: "Zstandard compressed data is made up of one or more frames." Node's gunzip reads several members
// itself.
const zstd: ContentCoding = { createDecompressor: () => zlib.createZstdDecompress(), hasFrames: true };

/** The supported codings of IANA's registry. RFC 9110 §8.4.1, RFC 7932, RFC 8878. */
const CODINGS: ReadonlyMap<string, ContentCoding> = new Map<string, ContentCoding>([
  ["gzip", gzip],
  ["deflate", deflate],
  ["br", brotli],
  ...("createZstdDecompress" in zlib ? [["zstd", zstd] as const] : []),
  // RFC 9110 §8.4.1.3: "A recipient SHOULD consider "x-gzip" to be equivalent to "gzip"."
  ["x-gzip", gzip],
]);

/** The value of Accept-Encoding, in order of preference. RFC 9110 §12.5.3. */
export const ACCEPT_ENCODING: string = [...CODINGS.keys()]
  .filter((name) => !name.startsWith("x-"))
  .join(", ");

/** Names that mean no coding. RFC 9110 §8.4.1 reserves `identity`. Some servers send `none`. */
const NO_CODING: ReadonlySet<string> = new Set(["", "identity", "none"]);

/** Returns the content codings of a response, in the order of their application. RFC 9110 §8.4. */
export function contentCodings({ headers }: HttpResponse): string[] {
  const names = (headers["content-encoding"] ?? []).flatMap((value) => value.toLowerCase().split(","));
  return names.map((name) => name.trim()).filter((name) => !NO_CODING.has(name));
}

/**
 * Returns a source with the content codings removed. Throws `unsupported` for an unknown coding, and `limit` for too
 * many. Reading fails with `limit` when the output is far larger than the input, or the input yields no output.
 */
export function decodeContent(
  source: ByteSource,
  codings: readonly string[],
  limits: Limits,
  received: ReceivedBytes,
): ByteSource {
  if (codings.length > limits.maxContentCodings)
    throw limitError("maxContentCodings", limits, "the response has too many content codings");
  let decoded = source;
  for (const [index, name] of codings.toReversed().entries()) {
    const coding = CODINGS.get(name);
    if (!coding) {
      const shown = serverText(printable(name));
      const reason = ["the server used the content coding ", shown, ", which was not requested"];
      throw new AccessError("unsupported", reason);
    }
    // Each ratio relates to the received bytes, so that several codings do not multiply the limit.
    decoded = decompress(decoded, coding, { limits, received, isOutermost: index === 0 });
  }
  return decoded;
}
