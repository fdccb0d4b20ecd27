import type { Url } from "@anyscheme/core";
import type { CommandLine } from "../args/command-line.ts";
import { shouldColorize } from "../terminal/color.ts";
import { formatListingAsJson, formatListing, truncationError } from "../output/listing.ts";
import { openCommandClient, type DereferencedResource } from "../client/command-client.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";

/** Performs `ls`: entries are written as they arrive. */
export async function ls({ operands, values }: CommandLine, io: CliIo): Promise<void> {
  const client = await openCommandClient(operands, values, io);
  try {
    const colors = shouldColorize(client.values, io.stdout);
    for (const text of operands) {
      const list = async ({ resource, signal }: DereferencedResource): Promise<void> => {
        const lines = values.json ? formatListingAsJson(resource) : formatListing(resource, colors);
        for await (const line of lines) await writeLines(io.stdout, [line], signal);
        const cut = await truncationError(resource);
        if (cut) throw cut;
      };
      await client.dereference(text, list, {
        planOptions: (url) => (isUntypedFtp(url) && !values.type ? { type: "d" } : {}),
      });
    }
  } finally {
    await client.close();
  }
}

// RFC 1738 §3.2.2 would retrieve the file of that name; whoever says "ls" means the directory.
function isUntypedFtp(url: Url): boolean {
  const { name, type } = url.components();
  return url.scheme === "ftp" && type === undefined && typeof name === "string" && name !== "";
}
