import { Readable } from "node:stream";
import type { ContentResource, Resource, TransferProgress } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import type { HttpResponseHead } from "@anyscheme/scheme-http";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { parseParallelMaxOption } from "../args/parse-option-values.ts";
import type { OptionValues } from "../args/options.ts";
import {
  type CommandLineClient,
  type DereferencedResourceAndSignal,
  openCommandLineClient,
} from "../client/command-line-client.ts";
import { createTaskLimiter } from "../client/task-limiter.ts";
import { HttpStatusError, UsageError, WriteError } from "../errors/cli-errors.ts";
import { formatJsonLine } from "../output/json-line.ts";
import { formatFormSubmissionAdvice, formatListing, findListingTruncationError } from "../output/listing.ts";
import { openOutputTarget, type OutputFile, setModificationTime } from "../output/output-file.ts";
import {
  findHttpResponseOfResource,
  formatResponseHead,
  isResponseToHead,
} from "../output/format-response-head.ts";
import { decodeLastPathPart, getFileNameFromUrl, replaceLeadingDot } from "../output/safe-file-name.ts";
import {
  type CliIo,
  type FailedUrlOrFileListener,
  type CliOutputStream,
  writeToOutputStream,
  writeLines,
  writeLinesToStderr,
} from "../terminal/cli-io.ts";
import {
  createProgressBoard,
  createProgressLineDisplay,
  type ProgressBoard,
  shouldShowProgress,
} from "../terminal/progress.ts";
import { SafeTextDecoder } from "../terminal/safe-text-decoder.ts";

/** The size in bytes of the buffer between a body and standard output. */
const OUTPUT_BUFFER_BYTES = 262_144;

/**
 * Runs the command `get`, which downloads URLs. The bodies on standard output have the order of the URLs. The files of
 * `-O` are downloaded in parallel. The command reports each failed URL with `onFailure`, and continues with the next
 * URL, except after an interrupt or a failed write.
 */
export async function runGetCommand(
  line: CommandLineWithSchemes,
  io: CliIo,
  onFailure: FailedUrlOrFileListener,
): Promise<void> {
  const { operands, optionValues } = line;
  if (optionValues.recursive && (optionValues.request ?? optionValues.data ?? optionValues["data-binary"]))
    throw new UsageError("--recursive downloads files, and cannot be used with --request or --data", "get");
  if (optionValues.recursive)
    return (await import("../mirror/recursive-get-command.ts")).runRecursiveGetCommand(line, io, onFailure);
  if (optionValues.output !== undefined && operands.length > 1)
    throw new UsageError("--output takes one URL; use --remote-name for several", "get");
  if (optionValues.output !== undefined && optionValues["remote-name"])
    throw new UsageError("--output and --remote-name exclude each other", "get");
  checkHeadOptions(optionValues);
  const parallelMax = parseParallelMaxOption(optionValues);
  await using client = await openCommandLineClient(line, io);
  const isParallel = optionValues["remote-name"] === true && operands.length > 1;
  const progressBoard = isParallel ? createProgressBoard(io) : undefined;
  const limiter = isParallel ? createTaskLimiter(parallelMax, parallelMax) : createTaskLimiter(1);
  const download: DownloadContext = { optionValues, io, client, progressBoard, usedFileNames: new Set() };
  let isStopped = false;
  const getUnlessStopped = async (text: string): Promise<void> => {
    if (isStopped) return;
    try {
      await downloadUrl(text, download);
    } catch (error) {
      // One message is enough for an interrupt of several transfers.
      if (isStopped && client.isInterrupted) return;
      isStopped ||= client.isInterrupted || error instanceof WriteError;
      await onFailure(error, text);
    }
  };
  await Promise.all(operands.map((text) => limiter.run(extractHost(text), () => getUnlessStopped(text))));
}

/** Checks the options `--head` and `--include`. Throws `UsageError`. */
function checkHeadOptions({ head, include, output, ...others }: OptionValues): void {
  if (head && others["continue-at"] !== undefined)
    throw new UsageError("--head and --continue-at exclude each other", "get");
  if (include && (others.json || others["remote-name"] || (output !== undefined && output !== "-")))
    throw new UsageError("--include writes to standard output; with files, use --json, or --head", "get");
}

/** The state that all downloads of one command line share. */
interface DownloadContext {
  readonly optionValues: OptionValues;
  readonly io: CliIo;
  readonly client: CommandLineClient;
  /** The names of the output files that `-O` has chosen so far. */
  readonly usedFileNames: Set<string>;
  /**
   * The progress display for several URLs with `-O`. There is no progress board for downloads without `-O` or of a
   * single URL, which run one at a time.
   */
  readonly progressBoard: ProgressBoard | undefined;
}

/** Returns the host of a URL, by which the limiter counts transfers. The client later rejects an invalid URL. */
function extractHost(text: string): string {
  return /^[^:]*:\/\/(?:[^/@]*@)?([^/:]*)/.exec(text)?.[1]?.toLowerCase() ?? "";
}

async function downloadUrl(text: string, download: DownloadContext): Promise<void> {
  const { optionValues, io, client, progressBoard } = download;
  const chosenPath = chooseOutputPath(text, download);
  const { path, file, planOptions, releasePath } = await openOutputTarget(chosenPath, optionValues);
  if (path !== chosenPath && !optionValues.silent)
    writeLinesToStderr(io, [escapeControls(`saving as ${path}: the file ${chosenPath} exists`)]);
  const progress = shouldShowProgress(optionValues, io, file !== undefined)
    ? (progressBoard?.addLine(path ?? "") ?? createProgressLineDisplay(io))
    : undefined;
  let received = 0;
  const onProgress = (current: TransferProgress): void => {
    ({ received } = current);
    progress?.show(current);
  };
  const use = async ({ resource, signal }: DereferencedResourceAndSignal): Promise<void> => {
    const response = findHttpResponseOfResource(resource);
    if (response && optionValues.include && !optionValues.head)
      await writeLines(io.stdout, formatResponseHead(response), signal);
    if (response && optionValues.head) await writeResponseHead(response, file, optionValues, io);
    else if (file) await saveResource(file, resource);
    else if (!optionValues.json)
      await writeResourceToOutput(resource, io.stdout, signal, optionValues.output === "-");
    progress?.clear();
    const formAdvice = formatFormSubmissionAdvice(resource);
    if (formAdvice !== undefined && !optionValues.silent) writeLinesToStderr(io, [formAdvice]);
    if (optionValues.json)
      await writeLines(io.stdout, [formatJsonLine(await describeResourceAsJson(resource, path, received))]);
    if (path !== undefined && optionValues["remote-time"]) await setRemoteTime(path, resource, download);
    // With the option `--json` and without an output file, the command does not read the body.
    const error = file || !optionValues.json ? await findListingTruncationError(resource) : undefined;
    if (error) throw error;
    // Without -I and -i, the client has rejected error statuses, except 416, which means that the file is complete.
    if (response && response.status >= 400 && (optionValues.head || optionValues.include))
      throw new HttpStatusError(resource.url, response.status, response.reason);
  };
  try {
    await client.dereference(text, use, { onProgress, planOptions });
    const start = planOptions.range?.start ?? 0;
    if (file && start > 0 && received === 0 && !optionValues.silent)
      writeLinesToStderr(io, [`${escapeControls(path ?? "")} is already complete`]);
  } finally {
    progress?.clear();
    await releasePath?.();
  }
}

/**
 * Returns the path of the output file, which is chosen before the request. Returns `undefined` if the output is
 * standard output.
 */
function chooseOutputPath(
  text: string,
  { optionValues, client, usedFileNames, io }: DownloadContext,
): string | undefined {
  if (!optionValues["remote-name"]) return optionValues.output === "-" ? undefined : optionValues.output;
  const url = client.parse(text);
  const urlName = getFileNameFromUrl(url);
  if (urlName === undefined) throw new UsageError("the URL has no file name; give one with --output", "get");
  const name = replaceLeadingDot(urlName);
  if (usedFileNames.has(name) && optionValues.clobber !== false)
    throw new UsageError(`another URL is already saved as ${name}`, "get");
  usedFileNames.add(name);
  const remoteName = decodeLastPathPart(url);
  if (name !== remoteName && !optionValues.silent)
    writeLinesToStderr(io, [escapeControls(`saving as ${name}: the name in the URL is ${remoteName}`)]);
  return name;
}

/**
 * Gives a saved file the date of a resource. For an FTP file without a date, the client requests the date with `stat`,
 * except for a redirect target. Writes a message if the date of the remote file is unknown.
 */
async function setRemoteTime(
  path: string,
  resource: Resource,
  { client, optionValues, io }: DownloadContext,
): Promise<void> {
  if (resource.kind !== "content") return;
  const { url, redirectChain } = resource;
  const isFtpUrlOfUser = url.scheme === "ftp" && redirectChain.length === 0;
  const modified = resource.modified ?? (isFtpUrlOfUser ? (await client.stat(url)).modified : undefined);
  if (modified !== undefined) await setModificationTime(path, modified);
  else if (!optionValues.silent)
    writeLinesToStderr(io, [escapeControls(`${path} keeps the current date: the server states no date`)]);
}

async function writeResponseHead(
  response: HttpResponseHead,
  file: OutputFile | undefined,
  { json }: OptionValues,
  io: CliIo,
): Promise<void> {
  const lines = formatResponseHead(response);
  if (file) await file.saveLines(Readable.from(lines));
  else if (!json) await writeLines(io.stdout, lines);
}

async function saveResource(file: OutputFile, resource: Resource): Promise<void> {
  if (resource.kind === "content") await file.saveBody(resource);
  else await file.saveLines(formatListing(resource));
}

/**
 * Writes a resource to an output stream. Writes a resource of the kind `content` as bytes, and any other resource as
 * lines of text.
 */
export async function writeResourceToOutput(
  resource: Resource,
  output: CliOutputStream,
  signal: AbortSignal,
  allowsBinary: boolean,
): Promise<void> {
  if (resource.kind === "content") return writeContent(resource, output, signal, allowsBinary);
  for await (const line of formatListing(resource)) await writeLines(output, [line], signal);
}

/**
 * Writes the body of a resource to an output stream, with backpressure. A terminal receives binary data, and control
 * characters other than tabs and line ends, only if `allowsBinary` is true, because a body is untrusted and may contain
 * control sequences for the terminal.
 */
async function writeContent(
  resource: ContentResource,
  output: CliOutputStream,
  signal: AbortSignal,
  allowsBinary: boolean,
): Promise<void> {
  const isProtected = output.isTerminal && !allowsBinary;
  const decoder = isProtected ? new SafeTextDecoder() : undefined;
  // News articles and mail messages (`message/…`) are never rejected as binary data, because they are texts that may
  // contain NUL.
  const rejectsBinary = isProtected && !resource.mediaType.startsWith("message/");
  const reader = resource.body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(OUTPUT_BUFFER_BYTES);
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) return decoder && writeToOutputStream(output, decoder.end(), signal);
    if (rejectsBinary && value.includes(0)) {
      throw new WriteError(
        "binary data to the terminal",
        new Error("use -o - to write it anyway, or -o FILE to save it"),
      );
    }
    await writeToOutputStream(output, decoder ? decoder.push(value) : value, signal);
    buffer = value.buffer;
  }
}

/**
 * Returns the JSON description of a resource. The parameter `path` is the path of the saved body, if the body was
 * saved.
 */
async function describeResourceAsJson(
  resource: Resource,
  path: string | undefined,
  received: number,
): Promise<object> {
  const { url, kind } = resource;
  const redirectChain = resource.redirectChain.map(({ fromUrl, reason }) => ({ fromUrl, reason }));
  if (resource.kind === "directory" && path === undefined) return { url, kind, redirectChain };
  if (resource.kind === "directory")
    return { url, kind, redirectChain, completeness: await resource.completeness, saved: path };
  if (resource.kind !== "content") return { ...resource, saved: path };
  const { mediaType, modified } = resource;
  const size = isResponseToHead(resource) ? undefined : resource.size;
  const { status, headers } = findHttpResponseOfResource(resource) ?? {};
  const description = { url, kind, status, headers, mediaType, size, modified, redirectChain };
  if (path === undefined) return description;
  return { ...description, received, completeness: await resource.completeness, saved: path };
}
