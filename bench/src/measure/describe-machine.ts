import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, platform, release, tmpdir, totalmem } from "node:os";

/** The path of a folder in memory (/dev/shm) where available, otherwise of the folder for temporary files. */
export const inMemoryFolderPath: string = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const FILE_BLOCK = Buffer.alloc(1_048_576, "x");

/**
 * Writes a file of the given size and removes the file. The write makes a virtual machine get the memory from
 * its host before the measurement.
 */
export function prefaultMemoryByWritingFile(file: string, bytes: number): void {
  rmSync(file, { force: true, recursive: true });
  const descriptor = openSync(file, "w");
  for (let left = bytes; left > 0; left -= FILE_BLOCK.length) writeSync(descriptor, FILE_BLOCK);
  closeSync(descriptor);
  rmSync(file);
}

/**
 * Returns the processor, the operating system, the version of Node.js and the load of this machine as lines.
 */
export function describeMachine(): string[] {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const load = loadavg()
    .map((each) => each.toFixed(2))
    .join(" ");
  return [
    `${cpus()[0]?.model ?? "unknown processor"}, ${availableParallelism()} cores, ${memory}`,
    `${platform()} ${release()} ${arch()}, Node ${process.versions.node}, V8 ${process.versions.v8}`,
    `system load at the start: ${load}`,
  ];
}
