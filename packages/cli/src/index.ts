export { processIo } from "./process-io.ts";
export { run } from "./run.ts";
export type { InterruptName, Io, Output, Terminal } from "./terminal.ts";
