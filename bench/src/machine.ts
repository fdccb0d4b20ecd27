import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, platform, release, tmpdir, totalmem } from "node:os";

/** A folder whose files are in memory, where there is one: how fast a disk takes them is not what is measured. */
export const memoryFolder: string = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const PIECE = Buffer.alloc(1_048_576, "x");

/**
 * Leaves no such file, and memory for one. In a virtual machine, memory that was not used for some seconds is the host's, and to get it
 * back takes longer than to write it.
 */
export function makeRoomFor(file: string, bytes: number): void {
  rmSync(file, { force: true, recursive: true });
  const descriptor = openSync(file, "w");
  for (let left = bytes; left > 0; left -= PIECE.length) writeSync(descriptor, PIECE);
  closeSync(descriptor);
  rmSync(file);
}

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
