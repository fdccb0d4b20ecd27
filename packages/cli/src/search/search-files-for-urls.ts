import { createReadStream } from "node:fs";
import { TextDecoder } from "node:util";
import {
  extractUrls,
  type InvalidUrlMatch,
  MAX_EXTRACTED_URL_LENGTH,
  type UrlMatch,
} from "@anyscheme/core/extract";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { FileReadError } from "../errors/cli-errors.ts";
import { type CliIo, type FailedUrlOrFileListener, writeLines } from "../terminal/cli-io.ts";
import { LineAndColumnTracker } from "./line-and-column-tracker.ts";

/** The UTF-16 encodings by the two bytes of their byte order mark. */
const UTF16_ENCODINGS: readonly (readonly [first: number, second: number, encoding: string])[] = [
  [0xff, 0xfe, "utf-16le"],
  [0xfe, 0xff, "utf-16be"],
];

/** A file that the command searches for URLs. */
export interface FileSearchedForUrls {
  /** The file name on the command line. The name `-` means standard input. */
  readonly fileName: string;
  /** The last part of the file's text, with which positions are computed. */
  readonly textWithPositions: LineAndColumnTracker;
}

/**
 * Formats matches as output lines. The search calls the methods of the formatter in the order of the matches in the
 * searched text.
 */
export interface UrlMatchFormatter {
  formatUrlMatch(match: UrlMatch, source: FileSearchedForUrls): readonly string[];
  formatInvalidUrl?(match: InvalidUrlMatch, source: FileSearchedForUrls): readonly string[];
  /**
   * Returns the lines of the last match, which the formatter has kept until all alternatives of the match are known.
   */
  formatPendingMatch?(source: FileSearchedForUrls): readonly string[];
}

/**
 * Searches the files on the command line for URLs. Writes the output for a chunk before the next chunk is read.
 * Continues with the next file after an unreadable file. Resolves to the number of output lines. Rejects with
 * `WriteError`.
 */
export async function writeUrlsFoundInFiles(
  { operands, optionValues, schemes }: CommandLineWithSchemes,
  io: CliIo,
  onFailure: FailedUrlOrFileListener,
  formatter: UrlMatchFormatter,
): Promise<number> {
  const syntaxes = await schemes.loadAllSyntaxes();
  let pendingLines: string[] = [];
  let count = 0;
  const writePending = async (source: FileSearchedForUrls): Promise<void> => {
    const lines = [...pendingLines, ...(formatter.formatPendingMatch?.(source) ?? [])];
    pendingLines = [];
    count += lines.length;
    await writeLines(io.stdout, lines);
  };
  for (const fileName of operands.length > 0 ? operands : ["-"]) {
    // A URL that ends in the last chunk begins at most 2 * MAX_EXTRACTED_URL_LENGTH bytes before the chunk.
    const source: FileSearchedForUrls = {
      fileName,
      textWithPositions: new LineAndColumnTracker(2 * MAX_EXTRACTED_URL_LENGTH),
    };
    const chunks = appendChunksToText(readFileChunks(fileName, io), source.textWithPositions, () =>
      writePending(source),
    );
    const matches = extractUrls(chunks, {
      syntaxes,
      bareUrls: !optionValues["wrapped-only"],
      mode: optionValues.strict ? "rfc1738" : "modern",
      onInvalid: (match) => pendingLines.push(...(formatter.formatInvalidUrl?.(match, source) ?? [])),
    });
    try {
      for await (const match of matches) pendingLines.push(...formatter.formatUrlMatch(match, source));
    } catch (error) {
      if (!(error instanceof FileReadError)) throw error;
      await onFailure(error, fileName);
    }
    await writePending(source);
  }
  return count;
}

/** Appends each chunk to `text` and yields the chunk. Calls `onSearched` when the search of a chunk has ended. */
async function* appendChunksToText(
  chunks: AsyncIterable<Uint8Array>,
  text: LineAndColumnTracker,
  onSearched: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    text.append(chunk);
    yield chunk;
    await onSearched();
  }
}

/**
 * Reads a file in chunks. For the file name `-`, reads standard input. Converts UTF-16 with a byte order mark to UTF-8,
 * and returns bytes in other encodings unchanged. Throws `FileReadError`.
 */
async function* readFileChunks(fileName: string, io: CliIo): AsyncGenerator<Uint8Array, void> {
  let decoder: TextDecoder | undefined;
  const encoder = new TextEncoder();
  for await (const chunk of readRawChunks(fileName, io)) {
    decoder ??= createUnicodeDecoder(chunk);
    yield decoder.encoding === "utf-8" ? chunk : encoder.encode(decoder.decode(chunk, { stream: true }));
  }
}

async function* readRawChunks(fileName: string, io: CliIo): AsyncGenerator<Uint8Array, void> {
  try {
    yield* fileName === "-" ? io.stdin : (createReadStream(fileName) as AsyncIterable<Uint8Array>);
  } catch (error) {
    throw new FileReadError(fileName, error);
  }
}

function createUnicodeDecoder([first, second]: Uint8Array): TextDecoder {
  const row = UTF16_ENCODINGS.find((each) => each[0] === first && each[1] === second);
  return new TextDecoder(row?.[2]);
}
