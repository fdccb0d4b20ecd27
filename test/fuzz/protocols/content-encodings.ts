import { http } from "@anyscheme/scheme-http";
import { defaultLimits } from "@anyscheme/core/plugin";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { AccessError } from "@anyscheme/core";
import { decodeContent } from "../../../packages/scheme-http/src/response/content-encoding.ts";
import { ReceivedBytes } from "../../../packages/scheme-http/src/response/body.ts";
import { arriving } from "../chunked-reader.ts";
import { hold } from "../decoder.ts";
import { type Arrival, arrivalsLike, bytesOf, piecesOf } from "../arbitrary-bytes.ts";
import { type AnyTarget, target } from "../target.ts";

const LIMITS = defaultLimits([http()]);

const TEXT = "A content of some words, said again and again. ".repeat(8);
/** The number of decoded bytes before the ratio is checked. */
const FREE_BYTES = 1_048_576;
const BOMB = Buffer.alloc(1.25 * FREE_BYTES);

const encoders: Readonly<Record<string, readonly ((bytes: Uint8Array) => Buffer)[]>> = {
  gzip: [gzipSync],
  deflate: [deflateSync, deflateRawSync],
  br: [brotliCompressSync],
};

const latin1 = (bytes: Buffer): string => bytes.toString("latin1");

/** Returns complete contents, a truncated one, two in a row, and one with an excessive ratio. */
function samplesOf(encode: (bytes: Uint8Array) => Buffer): string[] {
  const whole = latin1(encode(Buffer.from(TEXT)));
  const small = [whole, latin1(encode(Buffer.from("x"))), whole.slice(0, -5), whole + whole];
  // Bombs take long, so only a few are used.
  return [...small, ...small, ...small, latin1(encode(BOMB))];
}

/** Returns the content or the failure. Throws when the content exceeds the ratio. */
async function contentOf(coding: string, pieces: readonly string[]): Promise<Buffer | undefined> {
  const came = pieces.join("").length;
  const received = new ReceivedBytes(LIMITS);
  const source = decodeContent(arriving(pieces.map(bytesOf)), coding.split(", "), LIMITS, received);
  const content: Uint8Array[] = [];
  let length = 0;
  try {
    const take = (bytes: Uint8Array): boolean => {
      content.push(Buffer.from(bytes));
      length += bytes.length;
      hold(length <= Math.max(FREE_BYTES, came * LIMITS.maxDecodedRatio), "far more came out than may");
      return true;
    };
    while ((await source.read(take)) !== "end");
    return Buffer.concat(content);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return undefined;
  } finally {
    source.cancel();
  }
}

/** A content coding decodes to the same content, or fails, for every split into chunks. */
function codingTarget(coding: string, samples: readonly string[]): AnyTarget {
  return target<Arrival>({
    name: `the content coding ${coding}`,
    // The first chunk, which identifies the coding, may be empty.
    inputs: arrivalsLike(samples).map(({ text, cuts }) => ({ text, cuts: [0, ...cuts] })),
    ofSize: (piece, size) => ({ text: piece.repeat(Math.ceil(size / piece.length)), cuts: [] }),
    async check(arrival) {
      const whole = await contentOf(coding, [arrival.text]);
      const cut = await contentOf(coding, piecesOf(arrival));
      hold(whole === cut || (whole && cut?.equals(whole)) === true, "in pieces it is another content");
    },
    run: (arrival) => contentOf(coding, [arrival.text]),
  });
}

const over = (bytes: Uint8Array): Buffer => gzipSync(brotliCompressSync(bytes));

export const codings: readonly AnyTarget[] = [
  ...Object.entries(encoders).map(([coding, each]) => codingTarget(coding, each.flatMap(samplesOf))),
  codingTarget("br, gzip", samplesOf(over)),
];
