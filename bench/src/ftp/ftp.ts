import { locateLftp, prepareServers, startVsftpd } from "@anyscheme/servers";
import { execFile } from "node:child_process";
import { rm, truncate } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FtpTaskResult, FtpTask } from "./ftp-client-process.ts";
import type { BenchmarkOptions } from "../measure/benchmark-options.ts";
import { rewriteAndRemoveFile, inMemoryFolder } from "../measure/machine.ts";
import { runInterleaved } from "../measure/interleaved-rounds.ts";
import { reduceRequestCountForDelay, startDelayingRelay } from "../relay/start-relay.ts";
import { formatTable } from "../measure/format-table.ts";

const ROUNDS = 5;
const BIG_BYTES = 1_073_741_824;
const MAX_SMALL_FILES = 1000;
const SMALL_BYTES = 4096;

/** The minimum ratio of the speed of `ours` to the speed of `peer`. */
interface Goal {
  readonly task: FtpTask;
  readonly ours: string;
  readonly peer: string;
  readonly peerTask?: FtpTask;
  readonly what: "ms" | "cpu";
  readonly times: number;
}

const GOALS: readonly Goal[] = [
  { task: "save", ours: "ours", peer: "basic-ftp", what: "ms", times: 1.8 },
  { task: "save", ours: "ours", peer: "curl", what: "ms", times: 1.1 },
  { task: "save", ours: "ours", peer: "basic-ftp", what: "cpu", times: 1 / 0.7 },
  { task: "discard", ours: "ours", peer: "basic-ftp", what: "ms", times: 1.2 },
  { task: "discard", ours: "ours", peer: "basic-ftp", what: "cpu", times: 1 / 0.7 },
  { task: "small", ours: "ours", peer: "basic-ftp", what: "ms", times: 1.4 },
  { task: "small, warm", ours: "ours", peer: "basic-ftp", what: "ms", times: 1.4 },
  { task: "small by four", ours: "ours", peer: "basic-ftp", peerTask: "small", what: "ms", times: 2 },
  { task: "first byte", ours: "ours", peer: "bare", what: "ms", times: 1 / 1.1 },
];
const RSS_GOAL_KB = 20_480;

interface Benchmark {
  readonly name: string;
  readonly task: FtpTask;
  run(): Promise<FtpTaskResult>;
}

const execute = promisify(execFile);

/** Compares our FTP client with curl, lftp, basic-ftp and a minimal client, with vsftpd as the server. */
export async function runFtpBenchmark({ connectionDelayMs: delayMs }: BenchmarkOptions): Promise<void> {
  const smallFiles = reduceRequestCountForDelay(MAX_SMALL_FILES, 1, delayMs);
  // The files are in a folder in memory, so that the benchmark does not measure the disk.
  process.env["TMPDIR"] = inMemoryFolder;
  await prepareServers(["vsftpd", "lftp"]);
  const small = Buffer.alloc(SMALL_BYTES, "x");
  const files = Object.fromEntries(
    Array.from({ length: smallFiles }, (_, index) => [`small/${index}.bin`, small]),
  );
  await using server = await startVsftpd({
    files: { ...files, "big.bin": "" },
    settings: { log_ftp_protocol: "NO" },
  });
  await truncate(join(server.root, "big.bin"), BIG_BYTES);
  await using relay = await startDelayingRelay(server.port, delayMs, "ftp");
  const target = join(server.directory, "target");
  try {
    const results = await measureFtpClients(createFtpClientBenchmarks(relay.port, target, smallFiles));
    process.stdout.write(
      `load at the end: ${loadavg()
        .map((each) => each.toFixed(2))
        .join(" ")}\n`,
    );
    for (const task of new Set(results.map((result) => result.task))) printTaskTable(task, results);
    process.stdout.write(`\n${formatSpeedGoals(results)}\n`);
  } finally {
    await rm(target, { force: true, recursive: true });
  }
}

/**
 * Removes the target file before each run. Overwriting a file takes less than half as long as creating one.
 */
function createFtpClientBenchmarks(port: number, target: string, smallFiles: number): Benchmark[] {
  const script = fileURLToPath(new URL("./ftp-client-process.js", import.meta.url));
  const node = (name: string, key: string, task: FtpTask, count = 0): Benchmark => ({
    name,
    task,
    async run() {
      rewriteAndRemoveFile(target, task === "save" ? BIG_BYTES : 0);
      const args = [script, key, task, String(port), target, String(count)];
      return JSON.parse((await execute(process.execPath, args)).stdout) as FtpTaskResult;
    },
  });
  const program = (
    name: string,
    task: FtpTask,
    path: string,
    args: string[],
    environment = {},
  ): Benchmark => ({
    name,
    task,
    async run() {
      rewriteAndRemoveFile(target, task === "save" ? BIG_BYTES : 0);
      const before = performance.now();
      await execute(path, args, { env: { ...process.env, ...environment }, maxBuffer: 2 ** 24 });
      return { durationMs: performance.now() - before, cpuMs: Number.NaN, peakMemoryKiB: Number.NaN };
    },
  });
  const host = `ftp://127.0.0.1:${port}`;
  const all = `${host}/small/[0-${smallFiles - 1}].bin`;
  const lftp = locateLftp();
  const byLftp = (task: FtpTask, command: string): Benchmark[] =>
    lftp ? [program("lftp", task, lftp.path, ["-c", command], lftp.environment)] : [];
  return [
    node("ours", "ours", "discard"),
    node("basic-ftp", "basic", "discard"),
    node("bare", "bare", "discard"),
    program("curl", "discard", "curl", ["-s", "-o", "/dev/null", `${host}/big.bin`]),
    node("ours", "ours", "save"),
    node("basic-ftp", "basic", "save"),
    node("bare", "bare", "save"),
    program("curl", "save", "curl", ["-s", "-o", target, `${host}/big.bin`]),
    ...byLftp("discard", `set xfer:clobber on; get ${host}/big.bin -o /dev/null`),
    ...byLftp("save", `set xfer:clobber on; get ${host}/big.bin -o ${target}`),
    node("ours", "ours", "small", smallFiles),
    node("basic-ftp", "basic", "small", smallFiles),
    node("bare", "bare", "small", smallFiles),
    // The list excludes curl, because curl stalls for seconds between two files of one connection.
    ...byLftp("small", `mirror ${host}/small ${target}`),
    node("ours", "ours", "small, warm", smallFiles),
    node("basic-ftp", "basic", "small, warm", smallFiles),
    node("bare", "bare", "small, warm", smallFiles),
    node("ours", "ours", "small by four", smallFiles),
    node("bare", "bare", "small by four", smallFiles),
    program("curl", "small by four", "curl", ["-s", "-Z", "--parallel-max", "4", "-o", "/dev/null", all]),
    ...byLftp("small by four", `mirror --parallel=4 ${host}/small ${target}`),
    node("ours", "ours", "first byte", smallFiles),
    node("bare", "bare", "first byte", smallFiles),
    node("ours", "ours", "idle"),
  ];
}

interface Result {
  readonly name: string;
  readonly task: FtpTask;
  readonly ms: number;
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
  readonly rss: number;
}

/** Runs each FTP client once in every round. Returns the medians. */
async function measureFtpClients(all: readonly Benchmark[]): Promise<Result[]> {
  const samples = await runInterleaved(all, ROUNDS, (benchmark) => benchmark.run());
  return all.map(({ name, task }, index) => {
    const sorted = (what: keyof FtpTaskResult): number[] =>
      (samples[index] ?? []).map((done) => done[what]).toSorted((one, other) => one - other);
    const middle = (what: keyof FtpTaskResult): number =>
      sorted(what)[Math.floor((ROUNDS - 1) / 2)] ?? Number.NaN;
    return {
      name,
      task,
      ms: middle("durationMs"),
      from: sorted("durationMs")[0] ?? Number.NaN,
      to: sorted("durationMs").at(-1) ?? Number.NaN,
      cpu: middle("cpuMs"),
      rss: middle("peakMemoryKiB"),
    };
  });
}

function printTaskTable(task: FtpTask, results: readonly Result[]): void {
  const rows = results.filter((result) => result.task === task);
  const number = (value: number, digits = 0): string => (Number.isNaN(value) ? "" : value.toFixed(digits));
  const text = formatTable([
    [task, "ms", "from", "to", "CPU ms", "most RSS MB"],
    ...rows.map(({ name, ms, from, to, cpu, rss }) => [
      name,
      number(ms),
      number(from),
      number(to),
      number(cpu),
      number(rss / 1024, 1),
    ]),
  ]);
  process.stdout.write(`\n${text}\n`);
}

function formatSpeedGoals(results: readonly Result[]): string {
  const find = (name: string, task: FtpTask): Result | undefined =>
    results.find((result) => result.name === name && result.task === task);
  const goals = GOALS.map(({ task, ours, peer, peerTask = task, what, times }) => {
    const ratio = (find(peer, peerTask)?.[what] ?? Number.NaN) / (find(ours, task)?.[what] ?? Number.NaN);
    const place = what === "cpu" ? `${task}, CPU` : task;
    return `${place}: ${ours} ÷ ${peer} ${ratio.toFixed(2)} × (goal ${times.toFixed(2)} ${ratio >= times ? "reached" : "MISSED"})`;
  });
  const grown = (find("ours", "discard")?.rss ?? Number.NaN) - (find("ours", "idle")?.rss ?? Number.NaN);
  return [
    ...goals,
    `memory over 1 GiB: ${(grown / 1024).toFixed(1)} MB above an idle client (goal ${RSS_GOAL_KB / 1024} ${grown <= RSS_GOAL_KB ? "reached" : "MISSED"})`,
    `Medians of ${ROUNDS} interleaved rounds, each client in a process of its own; CPU with its start.`,
  ].join("\n");
}
