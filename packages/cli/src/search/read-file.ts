import { createReadStream } from "node:fs";
import { TextDecoder } from "node:util";
import { ReadError } from "../errors/cli-errors.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** The UTF-16 encodings by byte order mark. */
const UTF16_ENCODINGS: readonly (readonly [first: number, second: number, encoding: string])[] = [
  [0xff, 0xfe, "utf-16le"],
  [0xfe, 0xff, "utf-16be"],
];

/**
 * Reads a file, or standard input for `-`, in chunks. Converts UTF-16 with a byte order mark to UTF-8, and returns
 * other bytes unchanged. Throws `ReadError`.
 */
export async function* readFileChunks(file: string, io: CliIo): AsyncGenerator<Uint8Array, void> {
  let decoder: TextDecoder | undefined;
  const encoder = new TextEncoder();
  for await (const chunk of openChunks(file, io)) {
    decoder ??= createDecoder(chunk);
    yield decoder.encoding === "utf-8" ? chunk : encoder.encode(decoder.decode(chunk, { stream: true }));
  }
}

async function* openChunks(file: string, io: CliIo): AsyncGenerator<Uint8Array, void> {
  try {
    yield* file === "-" ? io.stdin : (createReadStream(file) as AsyncIterable<Uint8Array>);
  } catch (error) {
    throw new ReadError(file, error);
  }
}

function createDecoder([first, second]: Uint8Array): TextDecoder {
  const row = UTF16_ENCODINGS.find((each) => each[0] === first && each[1] === second);
  return new TextDecoder(row?.[2]);
}
