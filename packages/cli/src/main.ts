import { runCommandLine } from "./run.ts";
import { createProcessIo } from "./terminal/process-io.ts";

const processIo = createProcessIo();
void runCommandLine(process.argv.slice(2), processIo).then((exit) => {
  // A pending DNS lookup cannot be aborted, so the command calls process.exit().
  if (exit !== 0) processIo.stderr.stream.write("", () => process.exit(exit));
});
