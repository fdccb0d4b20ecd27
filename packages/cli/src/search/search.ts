import { type UrlMatch, extractUrls, MAX_EXTRACT_LENGTH, type InvalidMatch } from "@anyscheme/core/extract";
import type { CommandLine } from "../args/command-line.ts";
import { readFileChunks, ReadError } from "./read-file.ts";
import { loadAllSyntaxes } from "../client/scheme-packages.ts";
import { SourceText } from "./source-text.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";

/** A file that is being searched. */
export interface Source {
  /** As it was named; `-` is standard input. */
  readonly file: string;
  /** What has been read of it last. */
  readonly text: SourceText;
}

/** What is written of the places that a search comes to, in order. */
export interface SearchFormatter {
  onMatch(match: UrlMatch, source: Source): readonly string[];
  onInvalid?(match: InvalidMatch, source: Source): readonly string[];
  /** What was held back until all readings of a place had come, which is now so. */
  flush?(source: Source): readonly string[];
}

/**
 * Searches the files of a command line for URLs, and writes lines as soon as the pieces that they are of have been read.
 * Goes on after a file that cannot be read. Resolves to the number of lines. Throws `WriteError`.
 */
export async function searchFiles(
  { operands, values }: CommandLine,
  io: CliIo,
  onFailure: (error: unknown, text: string) => Promise<void>,
  formatter: SearchFormatter,
): Promise<number> {
  const syntaxes = await loadAllSyntaxes();
  let lines: string[] = [];
  let count = 0;
  const write = async (source: Source): Promise<void> => {
    const written = [...lines, ...(formatter.flush?.(source) ?? [])];
    lines = [];
    count += written.length;
    await writeLines(io.stdout, written);
  };
  for (const file of operands.length > 0 ? operands : ["-"]) {
    // Whatever can still turn out to be a URL begins in the latest piece, or less than this before it.
    const source: Source = { file, text: new SourceText(2 * MAX_EXTRACT_LENGTH) };
    const places = extractUrls(
      recordChunks(readFileChunks(file, io), source.text, () => write(source)),
      {
        syntaxes,
        bare: !values.wrapped,
        mode: values.strict ? "strict" : "tolerant",
        onInvalid: (match) => lines.push(...(formatter.onInvalid?.(match, source) ?? [])),
      },
    );
    try {
      for await (const match of places) lines.push(...formatter.onMatch(match, source));
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      await onFailure(error, file);
    }
    await write(source);
  }
  return count;
}

/** The same pieces; each is kept before it is searched, and followed by `done` when the next one is asked for. */
async function* recordChunks(
  pieces: AsyncIterable<Uint8Array>,
  text: SourceText,
  done: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    text.append(piece);
    yield piece;
    await done();
  }
}
