import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { escapeControls } from "@anyscheme/core/text";
import { formatJsonLine } from "../output/json-line.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";

/** Runs the command `schemes`, which lists the URL schemes with their default ports and packages or modules. */
export async function runSchemesCommand(
  { optionValues, schemes }: CommandLineWithSchemes,
  io: CliIo,
): Promise<void> {
  const rows = await schemes.list();
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, defaultPort, packageName, modulePath }) => {
    if (optionValues.json)
      return formatJsonLine({ scheme: name, defaultPort, package: packageName, module: modulePath });
    const source = escapeControls(packageName ?? modulePath ?? "-");
    return `${name.padEnd(width)}  ${String(defaultPort ?? "-").padStart(5)}  ${source}`;
  });
  await writeLines(io.stdout, lines);
}
