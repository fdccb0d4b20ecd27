import { execFile, spawn } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { startFtpTestServer, startGopherTestServer, startHttpFileTestServer } from "@anyscheme/servers";
import { runBenchmarksInterleaved } from "./measure/interleaved-rounds.ts";
import { formatTable } from "./measure/format-table.ts";

const BENCHMARK_ROUNDS = 15;

interface StartUpBenchmark {
  readonly measuredProgram: string;
  readonly nodeArguments: readonly string[];
  /** The maximum wall time of a start, as a multiple of the wall time of an empty Node.js program. */
  readonly maxTimeRatio?: number;
  /** The maximum additional wall time of a start compared with an empty Node.js program, in milliseconds. */
  readonly maxAddedMs?: number;
}

/**
 * Compares the wall time of importing the packages and of starting the command with that of an empty Node.js
 * program.
 */
export async function runStartUpBenchmark(): Promise<void> {
  await measureCommand();
  await measureImports();
}

/** Measures programs that only import the published packages. */
async function measureImports(): Promise<void> {
  const project = await mkdtemp(join(tmpdir(), "anyscheme-"));
  try {
    for (const name of ["core", "scheme-gopher"]) {
      const folder = fileURLToPath(new URL("./", import.meta.resolve(`@anyscheme/${name}/package.json`)));
      await promisify(execFile)(process.execPath, ["../../scripts/release/stage-release.js"], {
        cwd: folder,
      });
      await cp(join(folder, ".stage"), join(project, "node_modules/@anyscheme", name), { recursive: true });
    }
    const start = async (name: string, program: string, goalMs?: number): Promise<StartUpBenchmark> => {
      const path = join(project, `${name.replace(/\W+/g, "-")}.mjs`);
      await writeFile(path, program);
      return {
        measuredProgram: name,
        nodeArguments: [path],
        ...(goalMs === undefined ? {} : { maxAddedMs: goalMs }),
      };
    };
    const starts = [
      await start("an empty module", ""),
      await start("import core/syntax", 'import "@anyscheme/core/syntax";', 8),
      await start("import core", 'import "@anyscheme/core";'),
      await start(
        "import core and scheme-gopher",
        'import "@anyscheme/core";\nimport "@anyscheme/scheme-gopher";',
        12,
      ),
    ];
    printStartTimes(
      starts,
      await runBenchmarksInterleaved(starts, BENCHMARK_ROUNDS, ({ nodeArguments: args }) =>
        measureProcessTime(args),
      ),
    );
  } finally {
    await rm(project, { recursive: true });
  }
}

/** Measures the wall time of the command `anyscheme`, from its start to its end. */
async function measureCommand(): Promise<void> {
  const files = { item: Buffer.alloc(1024, "an item of one KiB\n") };
  const servers = await Promise.all([
    startGopherTestServer({ files }),
    startFtpTestServer({ files }),
    startHttpFileTestServer({ files }),
  ]);
  try {
    const [gopher = 0, ftp = 0, http = 0] = servers.map(({ port }) => port);
    const bin = fileURLToPath(new URL("bin/anyscheme.cjs", import.meta.resolve("anyscheme/package.json")));
    const starts: StartUpBenchmark[] = [
      { measuredProgram: 'node -e ""', nodeArguments: ["-e", ""] },
      { measuredProgram: "--version", nodeArguments: [bin, "--version"], maxTimeRatio: 1.25 },
      { measuredProgram: "--help", nodeArguments: [bin, "--help"], maxTimeRatio: 1.25 },
      {
        measuredProgram: "parse",
        nodeArguments: [bin, "parse", "ftp://host.example/pub/file;type=i"],
        maxTimeRatio: 1.25,
      },
      {
        measuredProgram: "get, gopher, 1 KiB",
        nodeArguments: [
          bin,
          "get",
          "--allow-port",
          `gopher:${gopher}`,
          `gopher://127.0.0.1:${gopher}/9/item`,
        ],
        maxTimeRatio: 1.6,
      },
      {
        measuredProgram: "get, ftp, 1 KiB",
        nodeArguments: [bin, "get", `ftp://127.0.0.1:${ftp}/item`],
        maxTimeRatio: 1.9,
      },
      {
        measuredProgram: "get, http, 1 KiB",
        nodeArguments: [bin, "get", `http://127.0.0.1:${http}/item`],
        maxTimeRatio: 2.8,
      },
    ];
    printStartTimes(
      starts,
      await runBenchmarksInterleaved(starts, BENCHMARK_ROUNDS, ({ nodeArguments: args }) =>
        measureProcessTime(args),
      ),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/**
 * Runs Node.js once and returns its wall time. The function does not block, since the benchmark's servers in this
 * process must respond to the measured program.
 */
function measureProcessTime(args: readonly string[]): Promise<number> {
  const before = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve(performance.now() - before);
      else reject(new Error(`${args.join(" ")} ended with ${code}`));
    });
  });
}

function printStartTimes(starts: readonly StartUpBenchmark[], times: readonly (readonly number[])[]): void {
  const medians = times.map((each) => each.toSorted((a, b) => a - b)[Math.floor(each.length / 2)] ?? 0);
  const base = medians[0] ?? 1;
  const verdict = (goal: string, isReached: boolean): string => `${goal} ${isReached ? "reached" : "MISSED"}`;
  const rows = starts.map(({ measuredProgram: name, maxTimeRatio: goal, maxAddedMs: goalMs }, index) => {
    const median = medians[index] ?? 0;
    const ratio = median / base;
    const goals = [
      ...(goal === undefined ? [] : [verdict(`${goal}×`, ratio <= goal)]),
      ...(goalMs === undefined ? [] : [verdict(`+${goalMs} ms`, median - base <= goalMs)]),
    ];
    return [name, median.toFixed(0), `${ratio.toFixed(2)}×`, (median - base).toFixed(1), goals.join(", ")];
  });
  process.stdout.write(`${formatTable([["", "ms", "÷ first", "ms more", "goal"], ...rows])}\n`);
  process.stdout.write(`Medians of ${BENCHMARK_ROUNDS} interleaved rounds.\n`);
}
