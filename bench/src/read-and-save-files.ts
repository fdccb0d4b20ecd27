import { createReadStream, createWriteStream, promises as fs } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Client, createClient } from "@anyscheme/core";
import { file } from "@anyscheme/scheme-others/file";
import { measureRetainedBytes } from "./measure/retained-memory.ts";
import { inMemoryFolder } from "./measure/machine.ts";
import { formatSpeedTable, type SpeedBenchmark, measureSpeeds } from "./measure/interleaved-rounds.ts";

const ROUNDS = 5;
const MiB = 2 ** 20;
const LARGE = 1024 * MiB;
const SMALL = 4096;
const SMALL_FILES = 1000;

/** Reads and saves files with the client and with Node.js alone: a large file and many small ones. */
export async function runFileBenchmark(): Promise<void> {
  // The benchmark uses a folder in memory where available, so that it does not measure the disk.
  const root = await fs.mkdtemp(join(inMemoryFolder, "anyscheme-bench-"));
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
      [`${SMALL_FILES} files of ${SMALL} bytes`, "fs.readFile", createSmallFileBenchmarks(client, root)],
    ];
    for (const [title, reference, each] of benchmarks)
      printLine(`${title}\n${formatSpeedTable(await measureSpeeds(each, ROUNDS), reference)}\n`);
    printLine(`Medians of ${ROUNDS} interleaved rounds, the best of two runs in each.`);
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
  const block = Buffer.alloc(MiB, "bytes of a file ");
  for (let at = 0; at < LARGE; at += MiB) await large.write(block);
  await large.close();
  await fs.mkdir(join(root, "small"));
  const small = block.subarray(0, SMALL);
  for (let index = 0; index < SMALL_FILES; index++)
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
    { name: "createReadStream", amountPerRun: LARGE, run: streamed({}) },
    { name: "createReadStream, 1 MiB", amountPerRun: LARGE, run: streamed({ highWaterMark: MiB }) },
    {
      name: "FileHandle.read, one buffer of 1 MiB",
      amountPerRun: LARGE,
      run: () => readWithFileHandle(path),
    },
    { name: "ours, body by a reader's buffer", amountPerRun: LARGE, run: () => readIntoReusedBuffer(client) },
    { name: "ours, body iterated", amountPerRun: LARGE, run: () => readByIteration(client) },
  ];
}

async function readWithFileHandle(path: string): Promise<number> {
  const handle = await fs.open(path);
  const buffer = new Uint8Array(MiB);
  let count = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, MiB, count);
    if (bytesRead === 0) break;
    count += bytesRead;
  }
  await handle.close();
  return count;
}

async function readIntoReusedBuffer(client: Client): Promise<number> {
  const resource = await client.dereference("file:///large");
  if (resource.kind !== "content") throw new Error(resource.kind);
  const reader = resource.body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(MiB);
  let count = 0;
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) return count;
    count += value.length;
    buffer = value.buffer;
  }
}

async function readByIteration(client: Client): Promise<number> {
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
      amountPerRun: LARGE,
      async run() {
        await pipeline(createReadStream(join(root, "large")), createWriteStream(target));
        return (await fs.stat(target)).size;
      },
    },
    {
      name: "ours, saveTo",
      amountPerRun: LARGE,
      async run() {
        const resource = await client.dereference("file:///large");
        return resource.kind === "content" ? resource.saveTo(target) : 0;
      },
    },
  ];
}

function createSmallFileBenchmarks(client: Client, root: string): SpeedBenchmark[] {
  const amount = SMALL * SMALL_FILES;
  const all = (read: (name: string) => Promise<number>) => async (): Promise<number> => {
    let count = 0;
    for (let index = 0; index < SMALL_FILES; index++) count += await read(`small/${index}`);
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
      amountPerRun: amount,
      run: all(async (name) => (await fs.readFile(join(root, name))).length),
    },
    { name: "createReadStream", amountPerRun: amount, run: all(streamed) },
    { name: "ours, bytes()", amountPerRun: amount, run: all(ours) },
  ];
}

/** Measures the memory use during and after the reading of the large file. */
async function measureReadMemory(client: Client): Promise<void> {
  const before = measureRetainedBytes();
  const resource = await client.dereference("file:///large");
  if (resource.kind !== "content") throw new Error(resource.kind);
  let most = 0;
  let count = 0;
  for await (const piece of resource) {
    count += piece.length;
    if (count % (LARGE / 4) < MiB) most = Math.max(most, measureRetainedBytes() - before);
  }
  printLine(`held while 1 GiB is read: at most ${(most / MiB).toFixed(1)} MiB`);
}
