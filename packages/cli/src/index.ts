export { run } from "./run.ts";
export type { CliIo, InterruptReason, Output, Terminal } from "./terminal/cli-io.ts";
export { processIo } from "./terminal/process-io.ts";
