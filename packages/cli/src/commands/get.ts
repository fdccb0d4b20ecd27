import type { ContentResource, Resource } from "@anyscheme/core";
import type { Progress } from "@anyscheme/core/plugin";
import { openOutput } from "../output/resume-output.ts";
import { governor } from "../client/limiter.ts";
import { jsonLine } from "../output/json-line.ts";
import { formatListing, truncationError } from "../output/listing.ts";
import { type CommandLine, UsageError } from "../args/command-line.ts";
import type { OptionValues } from "../args/options.ts";
import type { OutputFile } from "../output/output-file.ts";
import { type ProgressLine, createProgressLine } from "../terminal/progress.ts";
import { type ProgressBoard, createProgressBoard } from "../terminal/progress-board.ts";
import { SafeTextDecoder } from "../terminal/safe-text-decoder.ts";
import { fileNameFromUrl } from "../output/safe-file-name.ts";
import {
  openCommandClient,
  type CommandClient,
  type DereferencedResource,
} from "../client/command-client.ts";
import { type CliIo, type Output, writeToStderr, write, WriteError, writeLines } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** Read at a time into one buffer. */
const BLOCK_BYTES = 262_144;

/**
 * Performs `get`: each URL in turn, so that standard output has them in order; several at a time when they go to files.
 * `failed` is told of those that fail, and the others go on.
 */
export async function get(
  line: CommandLine,
  io: CliIo,
  onFailure: (error: unknown, text: string) => Promise<void>,
): Promise<void> {
  const { operands, values } = line;
  if (values.recursive) return (await import("../mirror/mirror.ts")).mirror(line, io, onFailure);
  if (values.output !== undefined && operands.length > 1)
    throw new UsageError("one --output is for one URL; --remote-name takes many", "get");
  if (values.output !== undefined && values["remote-name"])
    throw new UsageError("--output and --remote-name exclude each other", "get");
  const client = await openCommandClient(operands, values, io);
  try {
    const taken = new Set<string>();
    const many = values["remote-name"] === true && operands.length > 1;
    const board = many ? createProgressBoard(io.stderr) : undefined;
    const { run } = many ? governor() : governor(1);
    let stopped = false;
    const getNext = async (text: string): Promise<void> => {
      if (stopped) return;
      try {
        await getOne(text, values, io, client, { usedNames: taken, board });
      } catch (error) {
        board?.clear();
        await onFailure(error, text);
        stopped ||= client.isInterrupted || error instanceof WriteError;
      }
    };
    await Promise.all(operands.map((text) => run(hostOfText(text), () => getNext(text))));
  } finally {
    await client.close();
  }
}

/** What the URLs of one command line have in common. */
interface SharedOutput {
  /** The names of files that are written to. */
  readonly usedNames: Set<string>;
  /** Shows how far each one is, where several are under way. */
  readonly board: ProgressBoard | undefined;
}

/** Whoever is asked for the URL, for counting; a text that is no URL fails later. */
function hostOfText(text: string): string {
  return /^[^:]*:\/\/(?:[^/@]*@)?([^/:]*)/.exec(text)?.[1]?.toLowerCase() ?? "";
}

async function getOne(
  text: string,
  values: OptionValues,
  io: CliIo,
  client: CommandClient,
  { usedNames: taken, board }: SharedOutput,
): Promise<void> {
  const path = outputPath(text, values, client, taken);
  const { file, planOptions } = await openOutput(path, values);
  const progress = showsProgress(values, io, file)
    ? (board?.line(path ?? "") ?? createProgressLine(io.stderr))
    : undefined;
  let received = 0;
  const onProgress = (counts: Progress): void => {
    ({ received } = counts);
    progress?.show(counts);
  };
  const useResource = async ({ resource, signal }: DereferencedResource): Promise<void> => {
    if (file) await saveResource(file, resource, progress);
    else if (!values.json) await writeResource(resource, io.stdout, signal, values.output === "-");
    progress?.clear();
    if (values.json) await writeLines(io.stdout, [jsonLine(await describeAsJson(resource, path, received))]);
    // With --json alone, nothing has been read.
    const cut = file || !values.json ? await truncationError(resource) : undefined;
    if (cut) throw cut;
  };
  try {
    await client.dereference(text, useResource, { onProgress, planOptions: () => planOptions });
    const begins = planOptions.range?.start ?? 0;
    if (file && begins > 0 && received === 0 && !values.silent)
      writeToStderr(io.stderr, [`${escapeControls(path ?? "")} is already complete`]);
  } finally {
    progress?.clear();
  }
}

/** The file that the URL is written to; `undefined` for standard output. Known before anything is sent. */
function outputPath(
  text: string,
  values: OptionValues,
  client: CommandClient,
  taken: Set<string>,
): string | undefined {
  if (!values["remote-name"]) return values.output === "-" ? undefined : values.output;
  const name = fileNameFromUrl(client.parse(text));
  if (name === undefined)
    throw new UsageError("the URL has no name for a file; give one with --output", "get");
  if (taken.has(name)) throw new UsageError(`another of the URLs is written to ${name}`, "get");
  taken.add(name);
  return name;
}

async function saveResource(
  file: OutputFile,
  resource: Resource,
  progress: ProgressLine | undefined,
): Promise<void> {
  if (resource.kind === "content") await file.save(resource);
  else await file.saveLines(formatListing(resource));
  progress?.clear();
}

/** Writes a resource to an output: bytes as they are, anything else as lines. */
export async function writeResource(
  resource: Resource,
  output: Output,
  signal: AbortSignal,
  binaryToo: boolean,
): Promise<void> {
  if (resource.kind !== "content") {
    for await (const line of formatListing(resource)) await writeLines(output, [line], signal);
  } else {
    await writeContent(resource, output, signal, binaryToo);
  }
}

/** Reads no more than the output takes. */
async function writeContent(
  resource: ContentResource,
  output: Output,
  signal: AbortSignal,
  binaryToo: boolean,
): Promise<void> {
  const careful = output.isTerminal && !binaryToo;
  // Articles and mail come from strangers, who may want to speak to the terminal.
  const readable = careful && resource.mediaType.startsWith("message/") ? new SafeTextDecoder() : undefined;
  const reader = resource.body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(BLOCK_BYTES);
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) return readable && write(output, readable.end(), signal);
    if (careful && !readable && value.includes(0)) {
      throw new WriteError(
        "binary data to the terminal",
        new Error("-o - writes it all the same, -o FILE to a file"),
      );
    }
    await write(output, readable ? readable.push(value) : value, signal);
    buffer = value.buffer;
  }
}

/** What there is to know of a resource; with a path, its body has been read. */
async function describeAsJson(
  resource: Resource,
  path: string | undefined,
  received: number,
): Promise<object> {
  const { url, kind } = resource;
  const redirectChain = resource.redirectChain.map((hop) => ({ url: hop.url, reason: hop.reason }));
  if (resource.kind === "directory" && path === undefined) return { url, kind, redirectChain };
  if (resource.kind === "directory")
    return { url, kind, redirectChain, completeness: await resource.completeness, saved: path };
  if (resource.kind !== "content") return { ...resource, saved: path };
  const { mediaType, size, modified } = resource;
  if (path === undefined) return { url, kind, mediaType, size, modified, redirectChain };
  const completeness = await resource.completeness;
  return { url, kind, mediaType, size, modified, redirectChain, received, completeness, saved: path };
}

function showsProgress(
  { progress, silent, verbose }: OptionValues,
  io: CliIo,
  file: OutputFile | undefined,
): boolean {
  if (progress !== undefined) return progress;
  return io.stderr.isTerminal && !verbose && !silent && (file !== undefined || !io.stdout.isTerminal);
}
