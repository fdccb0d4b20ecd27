export { runCommandLine } from "./run-command-line.ts";
export type { CliIo, ProcessSignalKind, CliOutputStream, TerminalStreams } from "./terminal/cli-io.ts";
export { createProcessIo } from "./terminal/process-io.ts";
