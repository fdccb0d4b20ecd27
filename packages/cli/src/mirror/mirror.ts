import { promises as fs } from "node:fs";
import type { Url } from "@anyscheme/core";
import { type CommandLine, UsageError } from "../args/command-line.ts";
import { parseLimit } from "../args/limit-options.ts";
import type { OptionValues } from "../args/options.ts";
import { wrapWriteErrors } from "../output/output-file.ts";
import { safeFileName } from "../output/safe-file-name.ts";
import { openCommandClient, type CommandClient } from "../client/command-client.ts";
import { type CliIo, writeToStderr } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";
import { lastName } from "./child-path.ts";
import { LocalFolder } from "./local-folder.ts";
import { TreeCopy } from "./tree.ts";

const MAX_DEPTH = 16;
const MAX_FILES = 10_000;

/** Performs `get -r`: copies a directory and what is below it. `failed` is told of what fails, and the rest goes on. */
export async function mirror(
  { operands, values }: CommandLine,
  io: CliIo,
  onFailure: (error: unknown, text: string) => Promise<void>,
): Promise<void> {
  checkOptions(operands, values);
  const limits = {
    depth: parseLimit(values, "limit-depth") ?? MAX_DEPTH,
    files: parseLimit(values, "limit-files") ?? MAX_FILES,
  };
  // Articles are named by the server that has them.
  const further = operands.some((text) => /^news:/i.test(text)) ? ["nntp:"] : [];
  const client = await openCommandClient(operands, values, io, further);
  try {
    for (const text of operands) {
      try {
        const start = directoryUrl(client.parse(text), client);
        const tree = new TreeCopy(start, { client, values, io, limits, onFailure });
        await tree.copy(() => rootFolder(start, values));
        if (!values.silent) writeToStderr(io.stderr, [escapeControls(`${String(start)}: ${tree.summary}`)]);
      } catch (error) {
        await onFailure(error, text);
        if (client.isInterrupted) return;
      }
    }
  } finally {
    await client.close();
  }
}

function checkOptions(operands: readonly string[], values: OptionValues): void {
  if (values.output !== undefined && operands.length > 1)
    throw new UsageError("one --output is for one URL", "get");
  if (values.output === "-") throw new UsageError("--recursive writes a folder, not standard output", "get");
  for (const other of ["remote-name", "continue-at"] as const)
    if (values[other] !== undefined)
      throw new UsageError(`--recursive and --${other} exclude each other`, "get");
}

/** Whoever says "-r" means a directory: of FTP, with the slash that has its server asked for kinds, sizes and dates. */
function directoryUrl(url: Url, client: CommandClient): Url {
  const { name } = url.components();
  if (url.scheme !== "ftp" || name === undefined || name === "") return url;
  return client.parse(`${url.href.replace(/;type=[^/]*$/i, "").replace(/#.*$/s, "")}/`);
}

async function rootFolder(start: Url, { output }: OptionValues): Promise<LocalFolder> {
  const { host = "" } = start.components() as { host?: string };
  const name = output ?? safeFileName(lastName(start) ?? host);
  if (name === undefined)
    throw new UsageError("the URL has no name for a folder; give one with --output", "get");
  await wrapWriteErrors(name, () => fs.mkdir(name, { recursive: true }));
  if (output !== undefined) return new LocalFolder(output);
  // A folder that this command has named itself is no link to somewhere else.
  return new LocalFolder(".").makeSubfolder(name);
}
