import { http } from "@anyscheme/scheme-http";
import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { AccessError } from "@anyscheme/core";
import { decodeContent } from "../../../packages/scheme-http/src/response/content-encoding.ts";
import { ReceivedByteCounter } from "../../../packages/scheme-http/src/response/body-framing-decoder.ts";
import { createReaderFromChunks } from "../reader-from-chunks.ts";
import { assertCondition } from "../decoder-target.ts";
import {
  type InputWithSplitPositions,
  arbitraryInputsWithSplitPositions,
  encodeLatin1,
  splitAtPositions,
} from "../mutated-samples.ts";
import { type FuzzTarget, createFuzzTarget } from "../fuzz-target.ts";

const HTTP_LIMITS = mergeDefaultLimitsOfSchemes([http()]);

const ENCODED_SAMPLE_TEXT = "This sample text repeats the same few words. ".repeat(8);
/** The decoder checks the ratio of compression only after this number of decoded bytes. */
const BYTES_BEFORE_RATIO_CHECK = 1_048_576;
/** Contents whose compressed form exceeds the allowed ratio. */
const COMPRESSION_BOMB_CONTENT = Buffer.alloc(1.25 * BYTES_BEFORE_RATIO_CHECK);

const encodersByCoding: Readonly<Record<string, readonly ((bytes: Uint8Array) => Buffer)[]>> = {
  gzip: [gzipSync],
  deflate: [deflateSync, deflateRawSync],
  br: [brotliCompressSync],
};

const decodeAsLatin1 = (bytes: Buffer): string => bytes.toString("latin1");

/** Returns encoded contents: complete, truncated, two in a row, and one that exceeds the maximum compression ratio. */
function createEncodedSamples(encode: (bytes: Uint8Array) => Buffer): string[] {
  const whole = decodeAsLatin1(encode(Buffer.from(ENCODED_SAMPLE_TEXT)));
  const small = [whole, decodeAsLatin1(encode(Buffer.from("x"))), whole.slice(0, -5), whole + whole];
  // Decoding a compression bomb takes long, so only one sample of thirteen is a bomb.
  return [...small, ...small, ...small, decodeAsLatin1(encode(COMPRESSION_BOMB_CONTENT))];
}

/**
 * Returns the decoded content, or `undefined` when decoding fails. Throws when the content exceeds the maximum
 * compression ratio.
 */
async function decodeOrUndefined(coding: string, chunks: readonly string[]): Promise<Buffer | undefined> {
  const encodedLength = chunks.join("").length;
  const received = new ReceivedByteCounter(HTTP_LIMITS);
  const source = decodeContent(
    createReaderFromChunks(chunks.map(encodeLatin1)),
    coding.split(", "),
    received,
  );
  const content: Uint8Array[] = [];
  let length = 0;
  try {
    const append = (bytes: Uint8Array): boolean => {
      content.push(Buffer.from(bytes));
      length += bytes.length;
      assertCondition(
        length <= Math.max(BYTES_BEFORE_RATIO_CHECK, encodedLength * HTTP_LIMITS.maxDecodedRatio),
        "the decoded content exceeds maxDecodedRatio",
      );
      return true;
    };
    while ((await source.readChunks(append)) !== "end");
    return Buffer.concat(content);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return undefined;
  } finally {
    source.cancel();
  }
}

/** Checks that every split of encoded bytes decodes to the same content, or fails. */
function createContentCodingFuzzTarget(coding: string, samples: readonly string[]): FuzzTarget {
  return createFuzzTarget<InputWithSplitPositions>({
    name: `the content coding ${coding}`,
    // The decoder identifies the coding by the first chunk that is not empty, so each test input begins with an empty
    // chunk.
    arbitraryInput: arbitraryInputsWithSplitPositions(samples).map(({ text, splitPositions }) => ({
      text,
      splitPositions: [0, ...splitPositions],
    })),
    createRepetitiveInput: (pattern, size) => ({
      text: pattern.repeat(Math.ceil(size / pattern.length)),
      splitPositions: [],
    }),
    async checkParsingResult(input) {
      const whole = await decodeOrUndefined(coding, [input.text]);
      const split = await decodeOrUndefined(coding, splitAtPositions(input));
      assertCondition(
        whole === split || (whole && split?.equals(whole)) === true,
        "the bytes decode to different content when they arrive in chunks",
      );
    },
    runWithoutChecks: (input) => decodeOrUndefined(coding, [input.text]),
  });
}

const encodeBrotliThenGzip = (bytes: Uint8Array): Buffer => gzipSync(brotliCompressSync(bytes));

export const contentCodingFuzzTargets: readonly FuzzTarget[] = [
  ...Object.entries(encodersByCoding).map(([coding, each]) =>
    createContentCodingFuzzTarget(coding, each.flatMap(createEncodedSamples)),
  ),
  createContentCodingFuzzTarget("br, gzip", createEncodedSamples(encodeBrotliThenGzip)),
];
