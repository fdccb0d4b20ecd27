import { promises as fs } from "node:fs";
import type { Url } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import { hasFtpFileName, toFtpDirectoryUrl } from "../urls/ftp-url.ts";
import { parseLimit } from "../args/limit-options.ts";
import type { OptionValues } from "../args/options.ts";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { type CommandLineClient, openCommandLineClient } from "../client/command-line-client.ts";
import { statFtpFileAfterFailedListing } from "../client/stat-after-failed-listing.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { rethrowErrorsAsWriteError } from "../output/output-file.ts";
import { toSafeFileName, replaceLeadingDot } from "../output/safe-file-name.ts";
import { type CliIo, type FailedUrlOrFileListener, writeLinesToStderr } from "../terminal/cli-io.ts";
import { decodeLastPathSegment } from "./decode-unsanitized-path-segments.ts";
import { DownloadFolder } from "./download-folder.ts";
import { createUnexpectedResourceError, DirectoryTreeCopy } from "./directory-tree-copy.ts";

const DEFAULT_MAX_DEPTH = 16;
const DEFAULT_MAX_FILES = 10_000;

/**
 * Runs the command `get -r`, which downloads directory trees. Reports each failed URL with `onFailure`, and
 * continues with the next URL, except after an interrupt.
 */
export async function runRecursiveGetCommand(
  line: CommandLineWithSchemes,
  io: CliIo,
  onFailure: FailedUrlOrFileListener,
): Promise<void> {
  const { operands, optionValues } = line;
  checkMirrorOptions(operands, optionValues);
  const limits = {
    maxDepth: parseLimit(optionValues, "max-depth") ?? DEFAULT_MAX_DEPTH,
    maxFiles: parseLimit(optionValues, "max-files") ?? DEFAULT_MAX_FILES,
  };
  // Each article in the listing of a newsgroup has an nntp URL, or an nntps URL.
  const furtherUrls = operands.some((text) => /^s?news:/i.test(text)) ? ["nntp:", "nntps:"] : [];
  await using client = await openCommandLineClient(line, io, furtherUrls);
  const savedUrls: SavedUrlsByFolder = new Map();
  for (const text of operands) {
    try {
      const url = client.parse(text);
      const start = toDirectoryUrl(url, client);
      const tree = new DirectoryTreeCopy(start, { client, optionValues, io, limits, onFailure });
      await tree
        .copyTree(() => makeRootFolder(start, optionValues, savedUrls))
        .catch((error: unknown) => throwStartError(error, url, client));
      if (!optionValues.silent) writeLinesToStderr(io, [escapeControls(`${String(start)}: ${tree.summary}`)]);
    } catch (error) {
      await onFailure(error, text);
      if (client.isInterrupted) return;
    }
  }
}

function checkMirrorOptions(operands: readonly string[], optionValues: OptionValues): void {
  if (optionValues.output !== undefined && operands.length > 1)
    throw new UsageError("--output takes one URL", "get");
  if (optionValues.output === "-")
    throw new UsageError("--recursive needs a folder, not standard output", "get");
  for (const other of ["remote-name", "continue-at", "head", "include"] as const)
    if (optionValues[other] !== undefined)
      throw new UsageError(`--recursive and --${other} exclude each other`, "get");
  if (optionValues.clobber === false)
    throw new UsageError("--recursive and --no-clobber exclude each other", "get");
}

/** Throws the error of a start directory that cannot be listed, or an error that says that the URL names a file. */
async function throwStartError(error: unknown, url: Url, client: CommandLineClient): Promise<never> {
  if (!hasFtpFileName(url)) throw error;
  throw createUnexpectedResourceError(
    await statFtpFileAfterFailedListing(client, url, error),
    "unsupported",
    "directory",
  );
}

/** Returns the URL of the directory to download, for which the client requests kinds, sizes and dates. */
function toDirectoryUrl(url: Url, client: CommandLineClient): Url {
  return hasFtpFileName(url) ? client.parse(toFtpDirectoryUrl(url)) : url;
}

/** The start URL of each folder into which this command has copied a tree, by the real path of the folder. */
type SavedUrlsByFolder = Map<string, string>;

/**
 * Creates the local folder of a directory tree. Throws `UsageError` for the folder of another URL, whose files would be
 * replaced.
 */
async function makeRootFolder(
  start: Url,
  { output }: OptionValues,
  savedUrls: SavedUrlsByFolder,
): Promise<DownloadFolder> {
  const { host = "" } = start.components() as { host?: string };
  const urlName = toSafeFileName(decodeLastPathSegment(start) ?? host);
  const name = output ?? (urlName === undefined ? undefined : replaceLeadingDot(urlName));
  if (name === undefined) throw new UsageError("the URL has no folder name; give one with --output", "get");
  await rethrowErrorsAsWriteError(name, () => fs.mkdir(name, { recursive: true }));
  if (output !== undefined) return new DownloadFolder(output);
  // The name comes from the URL, so makeSubfolder() must reject a symbolic link of this name.
  const folder = await new DownloadFolder(".").makeSubfolder(name);
  // Two names are the same folder if the file system ignores case.
  const realPath = await rethrowErrorsAsWriteError(name, () => fs.realpath(name));
  if ((savedUrls.get(realPath) ?? start.href) !== start.href)
    throw new UsageError(
      `another URL is already saved in ${name}; give each URL its own command with --output`,
      "get",
    );
  savedUrls.set(realPath, start.href);
  return folder;
}
