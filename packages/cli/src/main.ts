import { run } from "./run.ts";
import { processIo } from "./terminal/process-io.ts";

const io = processIo();
void run(process.argv.slice(2), io).then((exit) => {
  // process.exit() ends pending work that cannot be aborted, such as a DNS lookup.
  if (exit !== 0) io.stderr.stream.write("", () => process.exit(exit));
});
