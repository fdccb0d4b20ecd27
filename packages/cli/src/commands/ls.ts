import type { CommandLine } from "../args/command-line.ts";
import { isFtpFileWithoutType } from "../args/option-values.ts";
import { type DereferencedResource, openCommandClient } from "../client/command-client.ts";
import { formatListing, formatListingAsJson, findTruncationError } from "../output/listing.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";
import { shouldColorize } from "../terminal/color.ts";

/** Runs the command `ls`, which lists a directory. Writes each entry as soon as the entry arrives. */
export async function runLsCommand(line: CommandLine, io: CliIo): Promise<void> {
  const { operands, optionValues } = line;
  const [text = ""] = operands;
  const client = await openCommandClient(line, io);
  try {
    const hasColors = shouldColorize(client.optionValues, io.stdout);
    const url = client.parse(text);
    const list = async ({ resource, signal }: DereferencedResource): Promise<void> => {
      const lines = optionValues.json ? formatListingAsJson(resource) : formatListing(resource, hasColors);
      for await (const line of lines) await writeLines(io.stdout, [line], signal);
      const error = await findTruncationError(resource);
      if (error) throw error;
    };
    await client.dereference(url, list, {
      planOptions: isFtpFileWithoutType(url) && !optionValues.type ? { type: "d" } : {},
    });
  } finally {
    await client.close();
  }
}
