// Measures one of the compared Gopher clients in its own process. Usage: gopher-client-process.js NAME …
import { closeSync, openSync } from "node:fs";
import { countBytesInReusedBuffer } from "../measure/count-bytes.ts";
import { measureAndExit, repeatTaskAndSumResults } from "../measure/measure-own-process.ts";
import { createClient, anyAddress } from "@anyscheme/core";
import { gopher, gopherSyntax, parseMenu } from "@anyscheme/scheme-gopher";
import {
  type MinimalGopherFetcher,
  fetchGopherItemBySocketDataEvents,
  fetchGopherItemBySocketIteration,
  createReusedBufferGopherFetcher,
  saveGopherItemToFile,
} from "./minimal-gopher-client.ts";

const [name = "", portText = "", amountText = "", concurrencyText = "", path = ""] = process.argv.slice(2);
const [port, amount, concurrency] = [portText, amountText, concurrencyText].map(Number) as [
  number,
  number,
  number,
];

const gopherClient = createClient({
  schemes: [gopher()],
  policy: anyAddress({ allowPorts: { gopher: [port] } }),
  limits: { maxStreamBytes: Infinity, maxConnectionsPerHost: Infinity },
});
const gopherUrlOf = (selector: string): `gopher://${string}` => `gopher://127.0.0.1:${port}/9${selector}`;

async function dereferenceGopherItem(selector: string) {
  const resource = await gopherClient.dereference(gopherUrlOf(selector));
  if (resource.kind !== "content") throw new Error(`it is ${resource.kind}`);
  return resource;
}

/** Returns a function that collects the whole item and returns its length. */
function createItemCollector(bare: MinimalGopherFetcher): () => Promise<number> {
  return async () => {
    const parts: Uint8Array[] = [];
    await bare(port, "/item", (bytes) => parts.push(Buffer.from(bytes)));
    return Buffer.concat(parts).length;
  };
}

function createByteCounter(bare: MinimalGopherFetcher): () => Promise<number> {
  return async () => {
    let length = 0;
    await bare(port, "/big", (bytes) => (length += bytes.length));
    return length;
  };
}

/** Each function performs one Gopher transfer with one client and returns the number of bytes or entries. */
const BENCHMARK_TASKS: Record<string, () => Promise<number>> = {
  "item ours": async () => (await (await dereferenceGopherItem("/item")).bytes()).length,
  "item onread": createItemCollector(createReusedBufferGopherFetcher(65_536)),
  "item data": createItemCollector(fetchGopherItemBySocketDataEvents),
  "item for-await": createItemCollector(fetchGopherItemBySocketIteration),
  "big ours": async () => countBytesInReusedBuffer((await dereferenceGopherItem("/big")).body, 262_144),
  "big ours, for-await": async () => {
    let length = 0;
    for await (const chunk of await dereferenceGopherItem("/big")) length += chunk.length;
    return length;
  },
  "big onread": createByteCounter(createReusedBufferGopherFetcher(1_048_576)),
  "big data": createByteCounter(fetchGopherItemBySocketDataEvents),
  "big for-await": createByteCounter(fetchGopherItemBySocketIteration),
  "save ours": async () => (await dereferenceGopherItem("/big")).saveTo(path),
  "save onread": async () => {
    const file = openSync(path, "w");
    await saveGopherItemToFile(port, "/big", file);
    closeSync(file);
    return 2 ** 30;
  },
  "menu ours": async () => {
    const menu = await gopherClient.dereference(`gopher://127.0.0.1:${port}/1/menu`);
    if (menu.kind !== "directory") throw new Error(`it is ${menu.kind}`);
    let count = 0;
    for await (const _ of menu) count++;
    return count;
  },
  "menu first": async () => {
    const menu = await gopherClient.dereference(`gopher://127.0.0.1:${port}/1/menu`);
    if (menu.kind !== "directory") throw new Error(`it is ${menu.kind}`);
    for await (const _ of menu) return 1;
    return 0;
  },
};

if (name === "parse ours") {
  const parts: Uint8Array[] = [];
  await createReusedBufferGopherFetcher(65_536)(port, "/menu", (bytes) => parts.push(Buffer.from(bytes)));
  const bytes = Buffer.concat(parts);
  const origin = gopherSyntax.parse(`gopher://127.0.0.1:${port}/1`);
  BENCHMARK_TASKS[name] = () => {
    let count = 0;
    for (const _ of parseMenu(bytes, origin)) count++;
    return Promise.resolve(count);
  };
}
const benchmarkTask = BENCHMARK_TASKS[name];
if (!benchmarkTask) throw new Error(`there is no benchmark ${name}`);

await measureAndExit(benchmarkTask, {
  repetitions: amount,
  concurrency,
  warmUp: () => repeatTaskAndSumResults(benchmarkTask, { repetitions: amount > 1 ? amount : 0, concurrency }),
});
