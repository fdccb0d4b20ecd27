import type { Resource } from "@anyscheme/core";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { isFtpFileWithoutType, toFtpDirectoryUrl } from "../urls/ftp-url.ts";
import { type DereferencedResourceAndSignal, openCommandLineClient } from "../client/command-line-client.ts";
import { statFtpFileAfterFailedListing } from "../client/stat-after-failed-listing.ts";
import {
  type FileAttributes,
  findListingTruncationError,
  formatFormSubmissionAdvice,
  formatListing,
  formatListingAsJsonLines,
} from "../output/listing.ts";
import { type CliIo, writeLines, writeLinesToStderr } from "../terminal/cli-io.ts";
import { shouldColorize } from "../terminal/color.ts";

/** Runs the command `ls`, which lists a directory. Writes each entry as soon as the entry arrives. */
export async function runLsCommand(line: CommandLineWithSchemes, io: CliIo): Promise<void> {
  const { operands, optionValues } = line;
  const [text = ""] = operands;
  await using client = await openCommandLineClient(line, io);
  const hasColors = shouldColorize(client.optionValues, io.stdout);
  const url = client.parse(text);
  const write = async (resource: Resource | FileAttributes, signal?: AbortSignal): Promise<void> => {
    const lines = optionValues.json ? formatListingAsJsonLines(resource) : formatListing(resource, hasColors);
    for await (const line of lines) await writeLines(io.stdout, [line], signal);
  };
  const list = async ({ resource, signal }: DereferencedResourceAndSignal): Promise<void> => {
    await write(resource, signal);
    const formAdvice = formatFormSubmissionAdvice(resource);
    if (formAdvice !== undefined && !optionValues.silent) writeLinesToStderr(io, [formAdvice]);
    const error = await findListingTruncationError(resource);
    if (error) throw error;
  };
  if (!isFtpFileWithoutType(url) || optionValues.type !== undefined)
    return await client.dereference(url, list);
  // RFC 1738 §3.2.2 defines an FTP URL without a type as a file. The command `ls` first requests an FTP URL without a
  // type as a directory.
  try {
    await client.dereference(client.parse(toFtpDirectoryUrl(url)), list);
  } catch (error) {
    await write(await statFtpFileAfterFailedListing(client, url, error));
  }
}
