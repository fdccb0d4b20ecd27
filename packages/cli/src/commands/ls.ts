import type { Url } from "@anyscheme/core";
import type { CommandLine } from "../args/command-line.ts";
import { showsColors } from "../terminal/color.ts";
import { listingJson, listingLines, truncation } from "../output/listing.ts";
import { openSession, type Visit } from "../client/command-client.ts";
import { type Io, writeLines } from "../terminal/cli-io.ts";

/** Performs `ls`: entries are written as they arrive. */
export async function ls({ operands, values }: CommandLine, io: Io): Promise<void> {
  const session = await openSession(operands, values, io);
  try {
    const colors = showsColors(session.values, io.stdout);
    for (const text of operands) {
      const list = async ({ resource, signal }: Visit): Promise<void> => {
        const lines = values.json ? listingJson(resource) : listingLines(resource, colors);
        for await (const line of lines) await writeLines(io.stdout, [line], signal);
        const cut = await truncation(resource);
        if (cut) throw cut;
      };
      await session.visit(text, list, {
        planOptions: (url) => (isUntypedFtp(url) && !values.type ? { type: "d" } : {}),
      });
    }
  } finally {
    await session.close();
  }
}

// RFC 1738 §3.2.2 would retrieve the file of that name; whoever says "ls" means the directory.
function isUntypedFtp(url: Url): boolean {
  const { name, type } = url.components();
  return url.scheme === "ftp" && type === undefined && typeof name === "string" && name !== "";
}
