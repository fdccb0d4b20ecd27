import { readFileSync } from "node:fs";

/** Returns the peak memory of this process in KiB. `resourceUsage` includes that of the parent before `exec`. */
export function readPeakMemoryKiB(): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
