import { readFileSync } from "node:fs";

/** The most memory that this program has had at a time, in KiB. What `resourceUsage` tells begins with what the program had that started it. */
export function mostMemoryKiB(): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
