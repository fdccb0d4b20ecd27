import { existsSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, platform, release, tmpdir, totalmem } from "node:os";

/** A folder whose files are in memory, where there is one: how fast a disk takes them is not what is measured. */
export const memoryFolder: string = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** The facts that figures depend on, in one line each. */
export function machineFacts(): string[] {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const load = loadavg()
    .map((each) => each.toFixed(2))
    .join(" ");
  return [
    `${cpus()[0]?.model ?? "unknown processor"}, ${availableParallelism()} cores, ${memory}`,
    `${platform()} ${release()} ${arch()}, Node ${process.versions.node}, V8 ${process.versions.v8}`,
    `load at the start: ${load}`,
  ];
}
