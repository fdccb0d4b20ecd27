import type { ContentResource, Progress, Resource } from "@anyscheme/core";
import { placeAt } from "../output/resume-output.ts";
import { governor } from "../client/limiter.ts";
import { jsonLine } from "../output/json-line.ts";
import { listingLines, truncation } from "../output/listing.ts";
import { type CommandLine, UsageError } from "../args/command-line.ts";
import type { Values } from "../args/options.ts";
import type { OutputFile } from "../output/output-file.ts";
import { type ProgressLine, progressLine } from "../terminal/progress.ts";
import { type ProgressBoard, progressBoard } from "../terminal/progress-board.ts";
import { ReadableText } from "../terminal/safe-text-decoder.ts";
import { fileNameOf } from "../output/safe-file-name.ts";
import { openSession, type Session, type Visit } from "../client/command-client.ts";
import { type Io, type Output, tell, write, WriteError, writeLines } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** Read at a time into one buffer. */
const BLOCK_BYTES = 262_144;

/**
 * Performs `get`: each URL in turn, so that standard output has them in order; several at a time when they go to files.
 * `failed` is told of those that fail, and the others go on.
 */
export async function get(
  line: CommandLine,
  io: Io,
  failed: (error: unknown, text: string) => Promise<void>,
): Promise<void> {
  const { operands, values } = line;
  if (values.recursive) return (await import("../mirror/mirror.ts")).mirror(line, io, failed);
  if (values.output !== undefined && operands.length > 1)
    throw new UsageError("one --output is for one URL; --remote-name takes many", "get");
  if (values.output !== undefined && values["remote-name"])
    throw new UsageError("--output and --remote-name exclude each other", "get");
  const session = await openSession(operands, values, io);
  try {
    const taken = new Set<string>();
    const many = values["remote-name"] === true && operands.length > 1;
    const board = many ? progressBoard(io.stderr) : undefined;
    const { run } = many ? governor() : governor(1);
    let stopped = false;
    const one = async (text: string): Promise<void> => {
      if (stopped) return;
      try {
        await getOne(text, values, io, session, { taken, board });
      } catch (error) {
        board?.clear();
        await failed(error, text);
        stopped ||= session.interrupted || error instanceof WriteError;
      }
    };
    await Promise.all(operands.map((text) => run(hostIn(text), () => one(text))));
  } finally {
    await session.close();
  }
}

/** What the URLs of one command line have in common. */
interface Together {
  /** The names of files that are written to. */
  readonly taken: Set<string>;
  /** Shows how far each one is, where several are under way. */
  readonly board: ProgressBoard | undefined;
}

/** Whoever is asked for the URL, for counting; a text that is no URL fails later. */
function hostIn(text: string): string {
  return /^[^:]*:\/\/(?:[^/@]*@)?([^/:]*)/.exec(text)?.[1]?.toLowerCase() ?? "";
}

async function getOne(
  text: string,
  values: Values,
  io: Io,
  session: Session,
  { taken, board }: Together,
): Promise<void> {
  const path = placeFor(text, values, session, taken);
  const { file: place, planOptions } = await placeAt(path, values);
  const progress = showsProgress(values, io, place)
    ? (board?.line(path ?? "") ?? progressLine(io.stderr))
    : undefined;
  let received = 0;
  const onProgress = (counts: Progress): void => {
    ({ received } = counts);
    progress?.show(counts);
  };
  const visit = async ({ resource, signal }: Visit): Promise<void> => {
    if (place) await fill(place, resource, progress);
    else if (!values.json) await show(resource, io.stdout, signal, values.output === "-");
    progress?.clear();
    if (values.json) await writeLines(io.stdout, [jsonLine(await describe(resource, path, received))]);
    // With --json alone, nothing has been read.
    const cut = place || !values.json ? await truncation(resource) : undefined;
    if (cut) throw cut;
  };
  try {
    await session.visit(text, visit, { onProgress, planOptions: () => planOptions });
    const begins = planOptions.range?.start ?? 0;
    if (place && begins > 0 && received === 0 && !values.silent)
      tell(io.stderr, [`${escapeControls(path ?? "")} is already complete`]);
  } finally {
    progress?.clear();
  }
}

/** The file that the URL is written to; `undefined` for standard output. Known before anything is sent. */
function placeFor(text: string, values: Values, session: Session, taken: Set<string>): string | undefined {
  if (!values["remote-name"]) return values.output === "-" ? undefined : values.output;
  const name = fileNameOf(session.parse(text));
  if (name === undefined)
    throw new UsageError("the URL has no name for a file; give one with --output", "get");
  if (taken.has(name)) throw new UsageError(`another of the URLs is written to ${name}`, "get");
  taken.add(name);
  return name;
}

async function fill(
  place: OutputFile,
  resource: Resource,
  progress: ProgressLine | undefined,
): Promise<void> {
  if (resource.kind === "content") await place.save(resource);
  else await place.saveLines(listingLines(resource));
  progress?.clear();
}

/** Writes a resource to an output: bytes as they are, anything else as lines. */
export async function show(
  resource: Resource,
  output: Output,
  signal: AbortSignal,
  binaryToo: boolean,
): Promise<void> {
  if (resource.kind !== "content") {
    for await (const line of listingLines(resource)) await writeLines(output, [line], signal);
  } else {
    await pour(resource, output, signal, binaryToo);
  }
}

/** Reads no more than the output takes. */
async function pour(
  resource: ContentResource,
  output: Output,
  signal: AbortSignal,
  binaryToo: boolean,
): Promise<void> {
  const careful = output.isTerminal && !binaryToo;
  // Articles and mail come from strangers, who may want to speak to the terminal.
  const readable = careful && resource.mediaType.startsWith("message/") ? new ReadableText() : undefined;
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
async function describe(resource: Resource, path: string | undefined, received: number): Promise<object> {
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
  { progress, silent, verbose }: Values,
  io: Io,
  place: OutputFile | undefined,
): boolean {
  if (progress !== undefined) return progress;
  return io.stderr.isTerminal && !verbose && !silent && (place !== undefined || !io.stdout.isTerminal);
}
