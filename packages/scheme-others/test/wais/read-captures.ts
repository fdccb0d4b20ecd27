import { readdirSync, readFileSync } from "node:fs";
import { DEFAULT_CORE_LIMITS } from "@anyscheme/core";
import { decodeWaisSearchResponse, type WaisSearchResponse } from "../../src/wais/apdu/search-response.ts";

const captureFolder = new URL("captures/", import.meta.url);

/** The bytes that one side sent, or `undefined` if this side closed the connection. */
type CapturedBytes = Buffer | undefined;

/** A request of a real client and the response of freeWAIS-sf 2.2.10. */
export interface CapturedExchange {
  readonly request: Buffer;
  readonly response: CapturedBytes;
}

/** The file names of the captures, without the suffix. */
export const captureNames: readonly string[] = readdirSync(captureFolder)
  .map((name) => name.replace(/\.jsonl$/, ""))
  .toSorted();

/** Returns the exchanges of a capture in order. */
export function readCapturedExchanges(name: string): readonly CapturedExchange[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, captureFolder), "utf8")
    .trim()
    .split("\n");
  const sent = lines.map((line) => JSON.parse(line) as { dir: "C" | "S"; hex: string });
  return sent.flatMap(({ dir, hex }, index) => {
    if (dir !== "C" || hex === "") return [];
    const response = sent[index + 1];
    return [{ request: decodeHex(hex), response: response?.hex ? decodeHex(response.hex) : undefined }];
  });
}

/** Returns the APDU in a message. */
export function extractApdu(message: Buffer): Buffer {
  return message.subarray(25);
}

/** Decodes a SearchResponse. */
export function decodeSearchResponseApdu(apdu: Uint8Array): WaisSearchResponse {
  return decodeWaisSearchResponse(apdu, DEFAULT_CORE_LIMITS);
}

/** Returns the APDU of every captured response whose APDU is neither empty nor encoded. */
export function readCapturedResponseApdus(): readonly (readonly [name: string, apdu: Buffer])[] {
  return captureNames.flatMap((name) =>
    readCapturedExchanges(name).flatMap(({ response }) =>
      response && response.length > 25 && response[23] === 0x20
        ? [[name, extractApdu(response)] as const]
        : [],
    ),
  );
}

function decodeHex(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
