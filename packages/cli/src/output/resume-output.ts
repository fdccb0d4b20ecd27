import { constants, promises as fs } from "node:fs";
import { UsageError } from "../args/command-line.ts";
import type { SchemeRequestOptions } from "../args/option-values.ts";
import type { OptionValues } from "../args/options.ts";
import { undefinedIfMissing, wrapWriteErrors, type OutputFile, openOutputFile } from "./output-file.ts";
import { WriteError } from "../terminal/cli-io.ts";

/** Where a content is written to, and which part of it. */
export interface OutputTarget {
  readonly file: OutputFile | undefined;
  readonly planOptions: SchemeRequestOptions;
}

/** The place for a content at this path; with `--continue-at`, only for the rest of it. Throws `UsageError`, `WriteError`. */
export async function openOutput(path: string | undefined, values: OptionValues): Promise<OutputTarget> {
  const from = parseContinueAt(values["continue-at"]);
  if (from === undefined)
    return { file: path === undefined ? undefined : await openOutputFile(path), planOptions: {} };
  if (path === undefined)
    throw new UsageError("--continue-at needs a file: --output or --remote-name", "get");
  const start = from === "end" ? await sizeOfFile(path) : from;
  return { file: resumedFile(path, start), planOptions: { range: { start } } };
}

/** `--continue-at` as a byte, or `"end"` for where the file ends. */
function parseContinueAt(text: string | undefined): number | "end" | undefined {
  if (text === undefined) return undefined;
  if (text === "-") return "end";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError("--continue-at needs a number of bytes, or - for the end of the file");
}

async function sizeOfFile(path: string): Promise<number> {
  return wrapWriteErrors(path, async () => {
    const stats = await fs.stat(path).catch(undefinedIfMissing);
    if (stats && !stats.isFile())
      throw new Error(stats.isDirectory() ? "it is a directory; give the name of a file" : "it is no file");
    return stats?.size ?? 0;
  });
}

/**
 * A file that is gone on with from this byte, in its own place: what came before a failure stays, so that it can be gone on
 * with again.
 */
function resumedFile(path: string, start: number): OutputFile {
  async function append(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
    const file = await wrapWriteErrors(path, () => fs.open(path, O_CREAT | O_WRONLY | O_NOFOLLOW, 0o666));
    try {
      let at = start;
      for await (const piece of pieces) {
        await wrapWriteErrors(path, () => writeAll(file, piece, at));
        at += piece.length;
      }
    } finally {
      await file.close();
    }
  }
  const saveLines = (): Promise<void> =>
    Promise.reject(new WriteError(path, new Error("only a content can be gone on with")));
  return { save: append, saveLines };
}

async function writeAll(file: fs.FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}
