import { processIo } from "./terminal/process-io.ts";
import { run } from "./run.ts";

const io = processIo();
void run(process.argv.slice(2), io).then((exit) => {
  // After a failure nothing that is still under way, such as a look-up that cannot be cancelled, keeps the process alive.
  if (exit !== 0) io.stderr.stream.write("", () => process.exit(exit));
});
