import type { Syntax } from "@anyscheme/core/syntax";
import type { CommandLine } from "../args/command-line.ts";
import { jsonLine } from "../output/json-line.ts";
import { SCHEMES } from "../client/scheme-packages.ts";
import { type Io, writeLines } from "../terminal/cli-io.ts";

/** Performs `schemes`: what the packages of this command read, by their own account. */
export async function schemes({ values }: CommandLine, io: Io): Promise<void> {
  const rows = await Promise.all(
    SCHEMES.map(async (row) => {
      const syntaxes: readonly Syntax[] = await row.syntaxes();
      return row.names.map((scheme) => {
        const syntax = syntaxes.find((candidate) => candidate.schemes.includes(scheme));
        const access = row.schemes !== undefined;
        return { scheme, defaultPort: syntax?.defaultPort, package: row.package, access };
      });
    }),
  );
  const lines = rows.flat().map((row) => {
    if (values.json) return jsonLine(row);
    const port = String(row.defaultPort ?? "-").padStart(5);
    return `${row.scheme.padEnd(8)}  ${port}  ${row.package}${row.access ? "" : "  syntax only"}`;
  });
  await writeLines(io.stdout, lines);
}
