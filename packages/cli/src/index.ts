export { runCommandLine } from "./run.ts";
export type { CliIo, InterruptSignalKind, CliOutputStream, Terminal } from "./terminal/cli-io.ts";
export { createProcessIo } from "./terminal/process-io.ts";
