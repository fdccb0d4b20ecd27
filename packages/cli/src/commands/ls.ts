import type { AccessErrorCode, Resource, Url } from "@anyscheme/core";
import type { CommandLine } from "../args/command-line.ts";
import { isFtpFileWithoutType, toFtpDirectoryUrl } from "../args/ftp-url.ts";
import {
  type CommandLineClient,
  type DereferencedResource,
  openCommandLineClient,
} from "../client/command-line-client.ts";
import {
  type FileAttributes,
  findTruncationError,
  formatListing,
  formatListingAsJson,
} from "../output/listing.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";
import { shouldColorize } from "../terminal/color.ts";

/** The codes of errors with which an FTP server may reject a file that the client lists as a directory. */
const NOT_A_DIRECTORY_ERROR_CODES: ReadonlySet<unknown> = new Set<AccessErrorCode>([
  "not-found",
  "no-content",
  "permission-denied",
]);

/** Runs the command `ls`, which lists a directory. Writes each entry as soon as the entry arrives. */
export async function runLsCommand(line: CommandLine, io: CliIo): Promise<void> {
  const { operands, optionValues } = line;
  const [text = ""] = operands;
  const client = await openCommandLineClient(line, io);
  try {
    const hasColors = shouldColorize(client.optionValues, io.stdout);
    const url = client.parse(text);
    const write = async (resource: Resource | FileAttributes, signal?: AbortSignal): Promise<void> => {
      const lines = optionValues.json ? formatListingAsJson(resource) : formatListing(resource, hasColors);
      for await (const line of lines) await writeLines(io.stdout, [line], signal);
    };
    const list = async ({ resource, signal }: DereferencedResource): Promise<void> => {
      await write(resource, signal);
      const error = await findTruncationError(resource);
      if (error) throw error;
    };
    if (!isFtpFileWithoutType(url) || optionValues.type !== undefined)
      return await client.dereference(url, list);
    // RFC 1738 §3.2.2 defines an FTP URL without a type as a file. The command `ls` first lists it as a directory.
    try {
      await client.dereference(client.parse(toFtpDirectoryUrl(url)), list);
    } catch (error) {
      if (!NOT_A_DIRECTORY_ERROR_CODES.has((error as { code?: unknown }).code)) throw error;
      await write(await getFileAttributes(client, url, error));
    }
  } finally {
    await client.close();
  }
}

/** Returns the attributes of a file. Throws the error `listingError` if the URL names a directory. */
async function getFileAttributes(
  client: CommandLineClient,
  url: Url,
  listingError: unknown,
): Promise<FileAttributes> {
  const { kind, size, modified } = await client.stat(url);
  if (kind === "directory") throw listingError;
  return { kind: "content", url, size, modified };
}
