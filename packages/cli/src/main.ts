import { runCommandLine } from "./run.ts";
import { createProcessIo } from "./terminal/process-io.ts";

const io = createProcessIo();
void runCommandLine(process.argv.slice(2), io).then((exit) => {
  // process.exit() ends pending work that cannot be aborted, such as a DNS lookup.
  if (exit !== 0) io.stderr.stream.write("", () => process.exit(exit));
});
