import type { Syntax } from "@anyscheme/core/syntax";
import type { CommandLine } from "../args/command-line.ts";
import { jsonLine } from "../output/json-line.ts";
import { SCHEME_PACKAGES } from "../client/scheme-packages.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";

/** Performs `schemes`: what the packages of this command read, by their own account. */
export async function schemes({ values }: CommandLine, io: CliIo): Promise<void> {
  const rows = await Promise.all(
    SCHEME_PACKAGES.map(async (row) => {
      const syntaxes: readonly Syntax[] = await row.loadSyntaxes();
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
