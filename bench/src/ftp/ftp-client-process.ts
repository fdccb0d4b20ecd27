import { createClient, anyAddress } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { Client as BasicFtp } from "basic-ftp";
import { closeSync, openSync } from "node:fs";
import { Writable } from "node:stream";
import { MinimalFtpClient } from "./minimal-ftp-client.ts";
import { readPeakMemoryKiB } from "../measure/peak-memory.ts";

/** The task that a compared FTP client performs in its own process. */
export type FtpBenchmarkTaskName =
  "discard" | "save" | "small" | "small, warm" | "small by four" | "first byte" | "idle";

/** The times and the peak memory of a compared FTP client for its task. */
export interface FtpTaskMeasurement {
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly peakMemoryKiB: number;
}

const [benchmark = "", task = "", portText = "", target = "", countText = "0"] = process.argv.slice(2);
const ftpServerPort = Number(portText);
const fileCount = Number(countText);
const fileNames = Array.from({ length: fileCount }, (_, index) => `${index}.bin`);

const createDiscardingStream = (): Writable =>
  new Writable({
    write(_, __, done) {
      done();
    },
  });

const benchmarks: Readonly<Record<string, (work: FtpBenchmarkTaskName) => Promise<number>>> = {
  ours: runTaskWithAnyscheme,
  basic: runTaskWithBasicFtp,
  bare: runTaskWithMinimalClient,
};

/** Runs an FTP benchmark task with the public functions of Anyscheme's client. */
async function runTaskWithAnyscheme(work: FtpBenchmarkTaskName): Promise<number> {
  const client = createClient({
    schemes: [ftp()],
    policy: anyAddress(),
    limits: { maxConnectionsPerHost: 4 },
  });
  const open = async (path: string) => {
    const resource = await client.dereference(`ftp://127.0.0.1:${ftpServerPort}/${path}` as "ftp://h/");
    if (resource.kind !== "content") throw new TypeError(resource.kind);
    return resource;
  };
  const discard = async (path: string, onFirstChunk?: () => void): Promise<void> => {
    let onChunk = onFirstChunk;
    for await (const _chunk of await open(path)) {
      onChunk?.();
      onChunk = undefined;
    }
  };
  const fetch = async (name: string): Promise<unknown> => (await open(`small/${name}`)).bytes();
  if (work === "first byte" || work.startsWith("small")) await fetch("0.bin");
  if (work === "small, warm") for (const name of fileNames) await fetch(name);
  const before = performance.now();
  let spent = 0;
  if (work === "discard") await discard("big.bin");
  else if (work === "save") await (await open("big.bin")).saveTo(target);
  else if (work === "small" || work === "small, warm") for (const name of fileNames) await fetch(name);
  else if (work === "small by four") await fetchFourFilesAtOnce(fetch);
  else if (work === "first byte") {
    for (const name of fileNames) {
      const asked = performance.now();
      await discard(`small/${name}`, () => (spent += performance.now() - asked));
    }
  }
  const ms = performance.now() - before;
  await client.destroy();
  return work === "first byte" ? spent : ms;
}

async function runTaskWithBasicFtp(work: FtpBenchmarkTaskName): Promise<number> {
  const client = await connectBasicFtpClient();
  const fetchAll = async (): Promise<void> => {
    for (const name of fileNames) await client.downloadTo(createDiscardingStream(), name);
  };
  if (work.startsWith("small")) await client.cd("small");
  if (work === "small, warm") await fetchAll();
  const before = performance.now();
  if (work === "discard") await client.downloadTo(createDiscardingStream(), "big.bin");
  else if (work === "save") await client.downloadTo(target, "big.bin");
  else await fetchAll();
  const ms = performance.now() - before;
  client.close();
  return ms;
}

async function connectBasicFtpClient(): Promise<BasicFtp> {
  const client = new BasicFtp();
  await client.access({ host: "127.0.0.1", port: ftpServerPort });
  return client;
}

async function runTaskWithMinimalClient(work: FtpBenchmarkTaskName): Promise<number> {
  const client = await MinimalFtpClient.connectAndLogIn(ftpServerPort);
  if (work === "discard" || work === "save") await client.runCommand("CDUP");
  if (work === "idle") return 0;
  if (work === "small, warm") for (const name of fileNames) await client.retrieveFile(name);
  let spent = 0;
  const before = performance.now();
  if (work === "discard") await client.retrieveFile("big.bin");
  else if (work === "save") {
    const file = openSync(target, "w");
    await client.retrieveFile("big.bin", file);
    closeSync(file);
  } else if (work === "small by four") {
    const others = await Promise.all([1, 2, 3].map(() => MinimalFtpClient.connectAndLogIn(ftpServerPort)));
    const all = [client, ...others];
    let next = 0;
    const run = async (one: MinimalFtpClient): Promise<void> => {
      for (let name = fileNames[next++]; name !== undefined; name = fileNames[next++])
        await one.retrieveFile(name);
    };
    await Promise.all(all.map(run));
    for (const other of others) other.close();
  } else {
    for (const name of fileNames) {
      const asked = performance.now();
      await client.retrieveFile(name, undefined, () => (spent += performance.now() - asked));
    }
  }
  const ms = performance.now() - before;
  client.close();
  return work === "first byte" ? spent : ms;
}

async function fetchFourFilesAtOnce(fetch: (name: string) => Promise<unknown>): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let name = fileNames[next++]; name !== undefined; name = fileNames[next++]) await fetch(name);
  };
  await Promise.all([run(), run(), run(), run()]);
}

const runFtpTask = benchmarks[benchmark];
if (!runFtpTask) throw new Error(`no benchmark ${benchmark}`);
const taskDurationMs = await runFtpTask(task as FtpBenchmarkTaskName);
const { userCPUTime, systemCPUTime } = process.resourceUsage();
const ftpTaskMetrics: FtpTaskMeasurement = {
  durationMs: taskDurationMs,
  cpuMs: (userCPUTime + systemCPUTime) / 1000,
  peakMemoryKiB: readPeakMemoryKiB(),
};
process.stdout.write(JSON.stringify(ftpTaskMetrics));
process.exit();
