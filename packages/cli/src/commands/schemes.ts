import type { CommandLine } from "../args/command-line.ts";
import { SCHEME_PACKAGES } from "../client/scheme-packages.ts";
import { formatJsonLine } from "../output/json-line.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";

/** Runs the command `schemes`, which lists the URL schemes with their default ports and packages. */
export async function runSchemesCommand({ optionValues }: CommandLine, io: CliIo): Promise<void> {
  const rows = await Promise.all(
    SCHEME_PACKAGES.map(async (each) => {
      const syntaxes = await each.loadSyntaxes();
      return each.schemeNames.map((scheme) => {
        const syntax = syntaxes.find((candidate) => candidate.schemes.includes(scheme));
        return { scheme, defaultPort: syntax?.defaultPort, package: each.packageName };
      });
    }),
  );
  const lines = rows.flat().map((row) => {
    if (optionValues.json) return formatJsonLine(row);
    return `${row.scheme.padEnd(8)}  ${String(row.defaultPort ?? "-").padStart(5)}  ${row.package}`;
  });
  await writeLines(io.stdout, lines);
}
