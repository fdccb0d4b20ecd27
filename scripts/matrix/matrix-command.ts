// `pnpm matrix [-- --only bun --row ftp]`: tests every packed package alone in an empty project, on every runtime.
// Exits with 1 when a cell of the table has an unexpected result. The first run of `pnpm matrix` needs the npm
// registry. Later runs reuse the tools in `.runtimes/`.
import { parseArgs } from "node:util";
import { runRuntimeMatrix } from "./run-matrix.ts";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: { only: { type: "string", default: "" }, row: { type: "string", default: "" } },
});

const failureCount = await runRuntimeMatrix({
  toolFilter: values.only,
  rowFilter: values.row,
  log: (line) => console.log(line),
});
process.exitCode = failureCount > 0 ? 1 : 0;
