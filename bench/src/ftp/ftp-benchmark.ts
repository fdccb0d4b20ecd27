import { locateLftp, downloadMissingServers, startVsftpd } from "@anyscheme/servers";
import { execFile } from "node:child_process";
import { rm, truncate } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FtpTaskMeasurement, FtpBenchmarkTaskName } from "./ftp-client-process.ts";
import type { BenchmarkDelayOptions } from "../measure/benchmark-delay-options.ts";
import { prefaultMemoryByWritingFile, inMemoryFolderPath } from "../measure/describe-machine.ts";
import { runBenchmarksInterleaved } from "../measure/interleaved-rounds.ts";
import { reduceRequestCountForDelay, startDelayingRelay } from "../relay/start-delaying-relay.ts";
import { formatTable } from "../measure/format-table.ts";

const BENCHMARK_ROUNDS = 5;
const BIG_FILE_BYTES = 1_073_741_824;
const MAX_SMALL_FILES = 1000;
const SMALL_FILE_SIZE = 4096;

/** The minimum ratio of the speed of `ownClient` to the speed of `comparedClient`. */
interface FtpSpeedGoal {
  readonly task: FtpBenchmarkTaskName;
  readonly ownClient: string;
  readonly comparedClient: string;
  readonly comparedTask?: FtpBenchmarkTaskName;
  readonly metric: "medianMs" | "medianCpuMs";
  readonly minRatio: number;
}

const FTP_SPEED_GOALS: readonly FtpSpeedGoal[] = [
  { task: "save", ownClient: "ours", comparedClient: "basic-ftp", metric: "medianMs", minRatio: 1.8 },
  { task: "save", ownClient: "ours", comparedClient: "curl", metric: "medianMs", minRatio: 1.1 },
  { task: "save", ownClient: "ours", comparedClient: "basic-ftp", metric: "medianCpuMs", minRatio: 1 / 0.7 },
  { task: "discard", ownClient: "ours", comparedClient: "basic-ftp", metric: "medianMs", minRatio: 1.2 },
  {
    task: "discard",
    ownClient: "ours",
    comparedClient: "basic-ftp",
    metric: "medianCpuMs",
    minRatio: 1 / 0.7,
  },
  { task: "small", ownClient: "ours", comparedClient: "basic-ftp", metric: "medianMs", minRatio: 1.4 },
  { task: "small, warm", ownClient: "ours", comparedClient: "basic-ftp", metric: "medianMs", minRatio: 1.4 },
  {
    task: "small by four",
    ownClient: "ours",
    comparedClient: "basic-ftp",
    comparedTask: "small",
    metric: "medianMs",
    minRatio: 2,
  },
  { task: "first byte", ownClient: "ours", comparedClient: "bare", metric: "medianMs", minRatio: 1 / 1.1 },
];
const MAX_ADDED_MEMORY_KIB = 20_480;

interface FtpBenchmark {
  readonly name: string;
  readonly task: FtpBenchmarkTaskName;
  run(): Promise<FtpTaskMeasurement>;
}

const execFileAsync = promisify(execFile);

/** Compares our FTP client with curl, lftp, basic-ftp and a minimal client, with vsftpd as the server. */
export async function runFtpBenchmark({ connectionDelayMs: delayMs }: BenchmarkDelayOptions): Promise<void> {
  const smallFiles = reduceRequestCountForDelay(MAX_SMALL_FILES, 1, delayMs);
  // The files are in a folder in memory, so that the benchmark does not measure the disk.
  process.env["TMPDIR"] = inMemoryFolderPath;
  await downloadMissingServers(["vsftpd", "lftp"]);
  const small = Buffer.alloc(SMALL_FILE_SIZE, "x");
  const files = Object.fromEntries(
    Array.from({ length: smallFiles }, (_, index) => [`small/${index}.bin`, small]),
  );
  await using server = await startVsftpd({
    files: { ...files, "big.bin": "" },
    settings: { log_ftp_protocol: "NO" },
  });
  await truncate(join(server.root, "big.bin"), BIG_FILE_BYTES);
  await using relay = await startDelayingRelay(server.port, delayMs, "ftp");
  const target = join(server.directory, "target");
  try {
    const results = await measureFtpClients(createFtpClientBenchmarks(relay.port, target, smallFiles));
    process.stdout.write(
      `system load at the end: ${loadavg()
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
 * Creates the benchmarks of all FTP clients. Each benchmark removes the target file before each run, because
 * overwriting a file takes less than half as long as creating one.
 */
function createFtpClientBenchmarks(port: number, target: string, smallFiles: number): FtpBenchmark[] {
  const script = fileURLToPath(new URL("./ftp-client-process.js", import.meta.url));
  const node = (name: string, key: string, task: FtpBenchmarkTaskName, count = 0): FtpBenchmark => ({
    name,
    task,
    async run() {
      prefaultMemoryByWritingFile(target, task === "save" ? BIG_FILE_BYTES : 0);
      const args = [script, key, task, String(port), target, String(count)];
      return JSON.parse((await execFileAsync(process.execPath, args)).stdout) as FtpTaskMeasurement;
    },
  });
  const program = (
    name: string,
    task: FtpBenchmarkTaskName,
    path: string,
    args: string[],
    environment = {},
  ): FtpBenchmark => ({
    name,
    task,
    async run() {
      prefaultMemoryByWritingFile(target, task === "save" ? BIG_FILE_BYTES : 0);
      const before = performance.now();
      await execFileAsync(path, args, { env: { ...process.env, ...environment }, maxBuffer: 2 ** 24 });
      return { durationMs: performance.now() - before, cpuMs: Number.NaN, peakMemoryKiB: Number.NaN };
    },
  });
  const host = `ftp://127.0.0.1:${port}`;
  const all = `${host}/small/[0-${smallFiles - 1}].bin`;
  const lftp = locateLftp();
  const byLftp = (task: FtpBenchmarkTaskName, command: string): FtpBenchmark[] =>
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
    // curl does not run the task "small", because curl stalls for seconds between two files of one connection.
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

interface FtpBenchmarkResult {
  readonly name: string;
  readonly task: FtpBenchmarkTaskName;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly medianCpuMs: number;
  readonly medianMemoryKiB: number;
}

/** Runs each FTP client once in every round. Returns the medians. */
async function measureFtpClients(all: readonly FtpBenchmark[]): Promise<FtpBenchmarkResult[]> {
  const samples = await runBenchmarksInterleaved(all, BENCHMARK_ROUNDS, (benchmark) => benchmark.run());
  return all.map(({ name, task }, index) => {
    const sorted = (what: keyof FtpTaskMeasurement): number[] =>
      (samples[index] ?? []).map((done) => done[what]).toSorted((one, other) => one - other);
    const middle = (what: keyof FtpTaskMeasurement): number =>
      sorted(what)[Math.floor((BENCHMARK_ROUNDS - 1) / 2)] ?? Number.NaN;
    return {
      name,
      task,
      medianMs: middle("durationMs"),
      minMs: sorted("durationMs")[0] ?? Number.NaN,
      maxMs: sorted("durationMs").at(-1) ?? Number.NaN,
      medianCpuMs: middle("cpuMs"),
      medianMemoryKiB: middle("peakMemoryKiB"),
    };
  });
}

function printTaskTable(task: FtpBenchmarkTaskName, results: readonly FtpBenchmarkResult[]): void {
  const rows = results.filter((result) => result.task === task);
  const number = (value: number, digits = 0): string => (Number.isNaN(value) ? "" : value.toFixed(digits));
  const text = formatTable([
    [task, "ms", "from", "to", "CPU ms", "most RSS MB"],
    ...rows.map(({ name, medianMs: ms, minMs: from, maxMs: to, medianCpuMs: cpu, medianMemoryKiB: rss }) => [
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

function formatSpeedGoals(results: readonly FtpBenchmarkResult[]): string {
  const find = (name: string, task: FtpBenchmarkTaskName): FtpBenchmarkResult | undefined =>
    results.find((result) => result.name === name && result.task === task);
  const goals = FTP_SPEED_GOALS.map(
    ({
      task,
      ownClient: ours,
      comparedClient: peer,
      comparedTask: peerTask = task,
      metric: what,
      minRatio: times,
    }) => {
      const ratio = (find(peer, peerTask)?.[what] ?? Number.NaN) / (find(ours, task)?.[what] ?? Number.NaN);
      const place = what === "medianCpuMs" ? `${task}, CPU` : task;
      return `${place}: ${ours} ÷ ${peer} ${ratio.toFixed(2)} × (goal ${times.toFixed(2)} ${ratio >= times ? "reached" : "MISSED"})`;
    },
  );
  const grown =
    (find("ours", "discard")?.medianMemoryKiB ?? Number.NaN) -
    (find("ours", "idle")?.medianMemoryKiB ?? Number.NaN);
  return [
    ...goals,
    `peak memory of a transfer of 1 GiB: ${(grown / 1024).toFixed(1)} MB more than an idle client (goal ${MAX_ADDED_MEMORY_KIB / 1024} ${grown <= MAX_ADDED_MEMORY_KIB ? "reached" : "MISSED"})`,
    `Medians of ${BENCHMARK_ROUNDS} interleaved rounds, each client in a separate process. The CPU time includes the start of the process.`,
  ].join("\n");
}
