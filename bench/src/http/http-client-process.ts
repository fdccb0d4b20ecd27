// Measures one of the compared HTTP clients in its own process. Usage: http-client-process.js NAME …
import { createWriteStream } from "node:fs";
import { Agent, get } from "node:http";
import { Writable } from "node:stream";
import { createClient, anyAddress } from "@anyscheme/core";
import { http, type HttpContentResource } from "@anyscheme/scheme-http";
import got from "got";
import * as undici from "undici";
import { countBytesInReusedBuffer } from "../measure/count-bytes.ts";
import { measureAndExit, repeatTaskAndSumResults } from "../measure/measure-own-process.ts";

const [name = "", origin = "", amountText = "", concurrencyText = "", path = ""] = process.argv.slice(2);
const [amount, concurrency] = [amountText, concurrencyText].map(Number) as [number, number];

const anyschemeClient = createClient({
  schemes: [http()],
  policy: anyAddress(),
  limits: { maxConnectionsPerHost: Infinity },
});
const undiciPool = new undici.Pool(origin, { connections: concurrency });
const nodeHttpAgent = new Agent({ keepAlive: true, maxSockets: concurrency });

const requestWithAnyscheme = (target: string): Promise<HttpContentResource> =>
  anyschemeClient.dereference(`${origin}${target}` as `http://${string}`);

function requestWithUndiciDispatch(target: string): Promise<number> {
  let length = 0;
  return new Promise((resolve, reject) => {
    undiciPool.dispatch(
      { path: target, method: "GET" },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_, chunk) => void (length += chunk.length),
        onResponseEnd: () => resolve(length),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

/** Collects a small body, or counts the bytes of a large body. */
function requestWithNodeHttp(target: string, collect: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${origin}${target}`, { agent: nodeHttpAgent }, (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response
        .on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (collect) parts.push(chunk);
        })
        .on("end", () => resolve(collect ? Buffer.concat(parts).length : length))
        .on("error", reject);
    }).on("error", reject);
  });
}

async function countBodyBytes(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of chunks) length += chunk.length;
  return length;
}

/** Each function performs one HTTP transfer with one client and returns the number of bytes. */
const BENCHMARK_TASKS: Record<string, () => Promise<number>> = {
  "page ours": async () => (await (await requestWithAnyscheme("/page")).bytes()).length,
  "page undici.request": async () =>
    (await (await undiciPool.request({ path: "/page", method: "GET" })).body.arrayBuffer()).byteLength,
  "page undici.dispatch": () => requestWithUndiciDispatch("/page"),
  "page undici.fetch": async () =>
    (await (await undici.fetch(`${origin}/page`, { dispatcher: undiciPool })).arrayBuffer()).byteLength,
  "page got": async () =>
    (await got(`${origin}/page`, { agent: { http: nodeHttpAgent }, retry: { limit: 0 } }).buffer()).length,
  "page node:http": () => requestWithNodeHttp("/page", true),
  "big ours": async () => countBytesInReusedBuffer((await requestWithAnyscheme("/big")).body, 262_144),
  "big ours, for-await": async () => countBodyBytes(await requestWithAnyscheme("/big")),
  "big undici.request": async () => {
    const { body } = await undiciPool.request({ path: "/big", method: "GET" });
    let length = 0;
    return new Promise((resolve, reject) => {
      body
        .on("data", (chunk: Buffer) => (length += chunk.length))
        .on("end", () => resolve(length))
        .on("error", reject);
    });
  },
  "big undici.request, for-await": async () =>
    countBodyBytes(
      (await undiciPool.request({ path: "/big", method: "GET" })).body as AsyncIterable<Uint8Array>,
    ),
  "big undici.stream": async () => {
    let length = 0;
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        length += chunk.length;
        done();
      },
    });
    await undiciPool.stream({ path: "/big", method: "GET" }, () => sink);
    return length;
  },
  "big undici.fetch": async () => {
    const { body } = await undici.fetch(`${origin}/big`, { dispatcher: undiciPool });
    return countBodyBytes(body as AsyncIterable<Uint8Array>);
  },
  "big got": async () =>
    countBodyBytes(
      got.stream(`${origin}/big`, { agent: { http: nodeHttpAgent } }) as AsyncIterable<Uint8Array>,
    ),
  "big node:http": () => requestWithNodeHttp("/big", false),
  "save ours": async () => (await requestWithAnyscheme("/big")).saveTo(path),
  "save undici.stream": async () => {
    await undiciPool.stream({ path: "/big", method: "GET" }, () => createWriteStream(path));
    return 2 ** 30;
  },
};

const benchmarkTask = BENCHMARK_TASKS[name];
if (!benchmarkTask) throw new Error(`there is no benchmark ${name}`);

// A client that transfers one large body warms up with a small body.
const warmUpTaskName = name
  .replace(/^\w+ /, "page ")
  .replace(/,.*/, "")
  .replace(/\.stream$/, ".request");
await measureAndExit(benchmarkTask, {
  repetitions: amount,
  concurrency,
  warmUp: () =>
    amount > 1
      ? repeatTaskAndSumResults(benchmarkTask, { repetitions: amount, concurrency })
      : repeatTaskAndSumResults(BENCHMARK_TASKS[warmUpTaskName] ?? benchmarkTask, {
          repetitions: 1,
          concurrency: 1,
        }),
});
