import { createReadStream, createWriteStream, promises as fs } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Client, createClient } from "@anyscheme/core";
import { file } from "@anyscheme/scheme-others/file";
import { measureMemoryAfterGc } from "./measure/memory-after-gc.ts";
import { inMemoryFolderPath } from "./measure/describe-machine.ts";
import {
  formatSpeedTable,
  type SpeedBenchmark,
  measureBenchmarkSpeeds,
} from "./measure/interleaved-rounds.ts";
import { countBytesInReusedBuffer } from "./measure/count-bytes.ts";

const BENCHMARK_ROUNDS = 5;
const BYTES_PER_MIB = 2 ** 20;
const LARGE_FILE_SIZE = 1024 * BYTES_PER_MIB;
const SMALL_FILE_SIZE = 4096;
const SMALL_FILE_COUNT = 1000;

/** Reads and saves files with the client and with Node.js alone: a large file and many small ones. */
export async function runFileSchemeBenchmark(): Promise<void> {
  // The benchmark uses a folder in memory where available, so that it does not measure the disk.
  const root = await fs.mkdtemp(join(inMemoryFolderPath, "anyscheme-bench-"));
  const client = createClient({ schemes: [file({ root })] }) as Client;
  try {
    await createSampleFiles(root);
    const benchmarks: [title: string, reference: string, compared: SpeedBenchmark[]][] = [
      ["1 GiB, read", "createReadStream", createReadBenchmarks(client, root)],
      [
        "1 GiB, to a file that is there already",
        "pipeline of file streams",
        createSaveBenchmarks(client, root),
      ],
      [
        `${SMALL_FILE_COUNT} files of ${SMALL_FILE_SIZE} bytes`,
        "fs.readFile",
        createSmallFileBenchmarks(client, root),
      ],
    ];
    for (const [title, reference, each] of benchmarks)
      printLine(
        `${title}\n${formatSpeedTable(await measureBenchmarkSpeeds(each, BENCHMARK_ROUNDS), reference)}\n`,
      );
    printLine(`Medians of ${BENCHMARK_ROUNDS} interleaved rounds, the best of two runs in each.`);
    await measureReadMemory(client);
  } finally {
    await client.destroy();
    await fs.rm(root, { recursive: true });
  }
}

function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function createSampleFiles(root: string): Promise<void> {
  const large = await fs.open(join(root, "large"), "w");
  const block = Buffer.alloc(BYTES_PER_MIB, "bytes of a file ");
  for (let at = 0; at < LARGE_FILE_SIZE; at += BYTES_PER_MIB) await large.write(block);
  await large.close();
  await fs.mkdir(join(root, "small"));
  const small = block.subarray(0, SMALL_FILE_SIZE);
  for (let index = 0; index < SMALL_FILE_COUNT; index++)
    await fs.writeFile(join(root, "small", String(index)), small);
}

function createReadBenchmarks(client: Client, root: string): SpeedBenchmark[] {
  const path = join(root, "large");
  const streamed = (options: object) => async (): Promise<number> => {
    let count = 0;
    for await (const chunk of createReadStream(path, options)) count += (chunk as Buffer).length;
    return count;
  };
  return [
    { name: "createReadStream", unitsPerRun: LARGE_FILE_SIZE, run: streamed({}) },
    {
      name: "createReadStream, 1 MiB",
      unitsPerRun: LARGE_FILE_SIZE,
      run: streamed({ highWaterMark: BYTES_PER_MIB }),
    },
    {
      name: "FileHandle.read, one buffer of 1 MiB",
      unitsPerRun: LARGE_FILE_SIZE,
      run: () => readWithFileHandle(path),
    },
    {
      name: "ours, body read into one buffer",
      unitsPerRun: LARGE_FILE_SIZE,
      run: () => readIntoReusedBuffer(client),
    },
    { name: "ours, body iterated", unitsPerRun: LARGE_FILE_SIZE, run: () => readBodyByIteration(client) },
  ];
}

async function readWithFileHandle(path: string): Promise<number> {
  const handle = await fs.open(path);
  const buffer = new Uint8Array(BYTES_PER_MIB);
  let count = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, BYTES_PER_MIB, count);
    if (bytesRead === 0) break;
    count += bytesRead;
  }
  await handle.close();
  return count;
}

async function readIntoReusedBuffer(client: Client): Promise<number> {
  const resource = await client.dereference("file:///large");
  if (resource.kind !== "content") throw new Error(resource.kind);
  return countBytesInReusedBuffer(resource.body, BYTES_PER_MIB);
}

async function readBodyByIteration(client: Client): Promise<number> {
  const resource = await client.dereference("file:///large");
  if (resource.kind !== "content") throw new Error(resource.kind);
  let count = 0;
  for await (const piece of resource) count += piece.length;
  return count;
}

function createSaveBenchmarks(client: Client, root: string): SpeedBenchmark[] {
  const target = join(root, "saved");
  return [
    {
      name: "pipeline of file streams",
      unitsPerRun: LARGE_FILE_SIZE,
      async run() {
        await pipeline(createReadStream(join(root, "large")), createWriteStream(target));
        return (await fs.stat(target)).size;
      },
    },
    {
      name: "ours, saveTo",
      unitsPerRun: LARGE_FILE_SIZE,
      async run() {
        const resource = await client.dereference("file:///large");
        return resource.kind === "content" ? resource.saveTo(target) : 0;
      },
    },
  ];
}

function createSmallFileBenchmarks(client: Client, root: string): SpeedBenchmark[] {
  const amount = SMALL_FILE_SIZE * SMALL_FILE_COUNT;
  const all = (read: (name: string) => Promise<number>) => async (): Promise<number> => {
    let count = 0;
    for (let index = 0; index < SMALL_FILE_COUNT; index++) count += await read(`small/${index}`);
    return count;
  };
  const streamed = async (name: string): Promise<number> => {
    let count = 0;
    for await (const chunk of createReadStream(join(root, name))) count += (chunk as Buffer).length;
    return count;
  };
  const ours = async (name: string): Promise<number> => {
    const resource = await client.dereference(`file:///${name}`);
    return resource.kind === "content" ? (await resource.bytes()).length : 0;
  };
  return [
    {
      name: "fs.readFile",
      unitsPerRun: amount,
      run: all(async (name) => (await fs.readFile(join(root, name))).length),
    },
    { name: "createReadStream", unitsPerRun: amount, run: all(streamed) },
    { name: "ours, bytes()", unitsPerRun: amount, run: all(ours) },
  ];
}

/** Measures the memory that is retained while the client reads the large file. */
async function measureReadMemory(client: Client): Promise<void> {
  const before = measureMemoryAfterGc();
  const resource = await client.dereference("file:///large");
  if (resource.kind !== "content") throw new Error(resource.kind);
  let most = 0;
  let count = 0;
  for await (const piece of resource) {
    count += piece.length;
    if (count % (LARGE_FILE_SIZE / 4) < BYTES_PER_MIB) most = Math.max(most, measureMemoryAfterGc() - before);
  }
  printLine(`memory retained while 1 GiB is read: at most ${(most / BYTES_PER_MIB).toFixed(1)} MiB`);
}
