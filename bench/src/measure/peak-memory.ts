import { readFileSync } from "node:fs";

/**
 * Returns the peak resident memory of this process in KiB. `process.resourceUsage()` would include the memory
 * of the parent process before `exec`.
 */
export function readPeakMemoryKiB(): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
