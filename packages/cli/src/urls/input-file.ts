import { readFile } from "node:fs/promises";
import { FileReadError, UsageError } from "../errors/cli-errors.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { unwrapUrl } from "./guess-url.ts";
import type { CommandLine } from "../args/command-line.ts";

const MAX_INPUT_FILE_BYTES = 16 * 2 ** 20;

/**
 * Appends the URLs in the file of `--input-file` to the operands. For `--input-file -`, reads the URLs from standard
 * input. Each line has one URL, also as `<URL:…>`; blank lines and lines that begin with `#` are ignored. Rejects with
 * `FileReadError` for a file that cannot be read, and with `UsageError` for a file that is too large.
 */
export async function addUrlsOfInputFile(line: CommandLine, io: Pick<CliIo, "stdin">): Promise<CommandLine> {
  const file = line.optionValues["input-file"];
  if (file === undefined) return line;
  const text = file === "-" ? await readText(io.stdin) : await readTextFile(file);
  const lines = text.split(/\r?\n/).map((each) => each.trim());
  const urls = lines.filter((each) => each !== "" && !each.startsWith("#")).map(unwrapUrl);
  return { ...line, operands: [...line.operands, ...urls] };
}

async function readTextFile(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new FileReadError(file, error);
  });
  return readText([bytes]);
}

async function readText(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const collected: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_INPUT_FILE_BYTES)
      throw new UsageError("the file of --input-file is larger than 16 MiB", "get");
    collected.push(chunk);
  }
  return Buffer.concat(collected)
    .toString()
    .replace(/^\ufeff/, "");
}
