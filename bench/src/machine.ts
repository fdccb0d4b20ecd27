import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";

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
