import { readdirSync, readFileSync } from "node:fs";
import { DEFAULT_LIMITS } from "@anyscheme/core";
import { decodeSearchResponse, type WaisSearchResponse } from "../../src/wais/apdu/search-response.ts";

const folder = new URL("captures/", import.meta.url);

/** The bytes that one side sent, or `undefined` if this side closed the connection. */
type Sent = Buffer | undefined;

/** A request of a real client and the response of freeWAIS-sf 2.2.10. */
export interface Exchange {
  readonly request: Buffer;
  readonly answer: Sent;
}

/** The file names of the captures, without the suffix. */
export const captureNames: readonly string[] = readdirSync(folder)
  .map((name) => name.replace(/\.jsonl$/, ""))
  .toSorted();

/** Returns the exchanges of a capture in order. */
export function readExchanges(name: string): readonly Exchange[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .trim()
    .split("\n");
  const sent = lines.map((line) => JSON.parse(line) as { dir: "C" | "S"; hex: string });
  return sent.flatMap(({ dir, hex }, index) => {
    if (dir !== "C" || hex === "") return [];
    const answer = sent[index + 1];
    return [{ request: asBuffer(hex), answer: answer?.hex ? asBuffer(answer.hex) : undefined }];
  });
}

/** Returns the APDU in a message. */
export function apduIn(message: Buffer): Buffer {
  return message.subarray(25);
}

/** Decodes a SearchResponse. */
export function decode(apdu: Uint8Array): WaisSearchResponse {
  return decodeSearchResponse(apdu, DEFAULT_LIMITS);
}

/** Returns every captured response with an APDU that is not empty and has no other encoding. */
export function capturedResponses(): readonly (readonly [name: string, apdu: Buffer])[] {
  return captureNames.flatMap((name) =>
    readExchanges(name).flatMap(({ answer }) =>
      answer && answer.length > 25 && answer[23] === 0x20 ? [[name, apduIn(answer)] as const] : [],
    ),
  );
}

function asBuffer(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
