export { processIo } from "./terminal/process-io.ts";
export { run } from "./run.ts";
export type { InterruptKind, CliIo, Output, Terminal } from "./terminal/cli-io.ts";
