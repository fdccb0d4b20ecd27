import { constants, promises as fs } from "node:fs";
import type { SchemeRequestOptions } from "../args/option-values.ts";
import type { OptionValues } from "../args/options.ts";
import { UsageError, WriteError } from "../errors/cli-errors.ts";
import {
  openOutputFile,
  type OutputFile,
  undefinedIfMissing,
  wrapWriteErrors,
  writeChunksAt,
} from "./output-file.ts";

/** The output file of a body, and the options that request the part to write. */
export interface OutputTarget {
  readonly file: OutputFile | undefined;
  readonly planOptions: SchemeRequestOptions;
}

/** Opens the output file, for the rest of the body if `--continue-at` is set. Throws `UsageError` and `WriteError`. */
export async function openOutput(path: string | undefined, values: OptionValues): Promise<OutputTarget> {
  const offset = parseContinueAt(values["continue-at"]);
  if (offset === undefined)
    return { file: path === undefined ? undefined : await openOutputFile(path), planOptions: {} };
  if (path === undefined)
    throw new UsageError("--continue-at needs a file: --output or --remote-name", "get");
  const start = offset === "end" ? await sizeOfFile(path) : offset;
  return { file: resumedFile(path, start), planOptions: { range: { start } } };
}

/** Parses `--continue-at`: an offset, or `-` for the end of the file. */
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
      throw new Error(
        stats.isDirectory() ? "it is a directory; give the name of a file" : "not a regular file",
      );
    return stats?.size ?? 0;
  });
}

/**
 * Returns an output file that is written in place from `start`. The file remains after a failure, so that it can
 * be resumed again.
 */
function resumedFile(path: string, start: number): OutputFile {
  return {
    async save(resource) {
      const { O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
      const file = await wrapWriteErrors(path, () => fs.open(path, O_CREAT | O_WRONLY | O_NOFOLLOW, 0o666));
      try {
        await writeChunksAt(file, path, resource, start);
      } finally {
        await file.close();
      }
    },
    saveLines: () => Promise.reject(new WriteError(path, new Error("only a file can be resumed"))),
  };
}
