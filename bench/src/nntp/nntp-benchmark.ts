import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createClient, anyAddress } from "@anyscheme/core";
import { mergeDefaultLimitsOfSchemes, mergeLimits, type ByteSource } from "@anyscheme/core/plugin";
import { nntp, nntpSyntax, parseOverviewLines } from "@anyscheme/scheme-others/nntp";
import { downloadMissingServers, startNnrpd } from "@anyscheme/servers";
import { fileURLToPath } from "node:url";
import type { BenchmarkDelayOptions } from "../measure/benchmark-delay-options.ts";
import { measureMemoryAfterGc } from "../measure/memory-after-gc.ts";
import {
  createNewsArticle,
  SHORT_ARTICLE_SIZE,
  ARTICLE_COUNT,
  LONG_ARTICLE_SIZE,
  LONG_ARTICLES_NEWSGROUP,
  createNntpOverview,
} from "./benchmark-articles.ts";
import { measureBenchmarkSpeeds, type SpeedResult } from "../measure/interleaved-rounds.ts";
import { reduceRequestCountForDelay, startDelayingRelay } from "../relay/start-delaying-relay.ts";
import { formatTable, printAfterEmptyLine } from "../measure/format-table.ts";

const NNTP_LIMITS = mergeDefaultLimitsOfSchemes([nntp()]);

const BENCHMARK_ROUNDS = 15;
/** The number of news articles that a benchmark fetches in one run. */
const ARTICLES_PER_RUN = 400;
/**
 * The number of articles that a benchmark fetches from a real server in one run. INN sends the second part of
 * an article after 40 ms, so fewer articles suffice.
 */
const ARTICLES_PER_RUN_WITH_INN = 20;
const ROUNDS_WITH_INN = 5;
const LARGE_ARTICLES_PER_RUN = 100;
const NEWSGROUP = "bench.group";
/** The number of bytes that one read returns on a fast connection. */
const READ_CHUNK_BYTES = 65_536;
/** The number of times that the memory measurement reads the overview of a newsgroup. */
const OVERVIEW_REPETITIONS = 50;

const BARE_SOCKET_LOOP_NAME = "raw loop";
const CLIENT_BENCHMARK_NAME = "client";
/** The minimum speed of the client, as a fraction of the speed of a loop on a raw socket. */
const MIN_SPEED_RATIO = 0.9;
const MIN_ENTRIES_PER_SECOND = 200_000;
/** The maximum of retained memory in bytes after half a million overview entries. */
const MAX_RETAINED_BYTES = 1_000_000;

const newsgroupUrl = nntpSyntax.parse("nntp://news.example.org/bench.group");

/**
 * Compares our NNTP client with a loop of the same commands on a raw socket, and measures the overview of a
 * large group.
 */
export async function runNntpBenchmark({ connectionDelayMs: delayMs }: BenchmarkDelayOptions): Promise<void> {
  const lines = createNntpOverview();
  const readers = [
    {
      name: "overview from memory, number and subject",
      unitsPerRun: ARTICLE_COUNT,
      run: () => countOverviewEntries(lines, false),
    },
    {
      name: "overview from memory, every field",
      unitsPerRun: ARTICLE_COUNT,
      run: () => countOverviewEntries(lines, true),
    },
  ];
  const serving = fork(fileURLToPath(new URL("./nntp-benchmark-server.js", import.meta.url)));
  try {
    const [serverPort] = (await once(serving, "message")) as [number];
    await using relay = await startDelayingRelay(serverPort, delayMs);
    const { port } = relay;
    const network = {
      name: "overview by the client",
      unitsPerRun: ARTICLE_COUNT,
      run: () => countOverviewByClient(port),
    };
    const results = await measureBenchmarkSpeeds([...readers, network], BENCHMARK_ROUNDS);
    printAfterEmptyLine(formatArticlesPerSecond(results, "entries/s"));
    const parsed = (results[0]?.speed ?? 0) * 1e6;
    printAfterEmptyLine(
      `overview from memory: goal ${MIN_ENTRIES_PER_SECOND} entries/s ${parsed >= MIN_ENTRIES_PER_SECOND ? "reached" : "MISSED"}`,
    );
    printAfterEmptyLine(await measureRetainedMemory(lines));
    const small = await compareArticleFetching(
      { port, group: NEWSGROUP },
      reduceRequestCountForDelay(ARTICLES_PER_RUN, 1, delayMs),
      BENCHMARK_ROUNDS,
    );
    printAfterEmptyLine(`${SHORT_ARTICLE_SIZE} bytes, from a server without delay\n${small}`);
    const large = await compareArticleFetching(
      { port, group: LONG_ARTICLES_NEWSGROUP },
      reduceRequestCountForDelay(LARGE_ARTICLES_PER_RUN, 1, delayMs),
      BENCHMARK_ROUNDS,
    );
    printAfterEmptyLine(`${LONG_ARTICLE_SIZE} bytes, from a server without delay\n${large}`);
  } finally {
    serving.kill();
  }
  // INN sends the second part of an article 40 ms after the first part, so a delayed connection would make no visible
  // difference.
  if (delayMs > 0) return;
  const [inn] = await downloadMissingServers(["inn2"]);
  if (!inn?.available)
    return printAfterEmptyLine(`INN is not available: ${inn?.reason}; ${inn?.installCommand}`);
  const articles = Array.from({ length: ARTICLES_PER_RUN_WITH_INN }, (_, index) =>
    createNewsArticle(index + 1, SHORT_ARTICLE_SIZE),
  );
  await using server = await startNnrpd({ groups: { [NEWSGROUP]: { articles } } });
  printAfterEmptyLine(
    `INN\n${await compareArticleFetching({ port: server.port, group: NEWSGROUP }, ARTICLES_PER_RUN_WITH_INN, ROUNDS_WITH_INN)}`,
  );
}

/** A server from which the compared clients fetch articles. */
interface ArticleServer {
  readonly port: number;
  readonly group: string;
}

async function compareArticleFetching(
  { port, group }: ArticleServer,
  count: number,
  rounds: number,
): Promise<string> {
  const raw = await openRawConnection(port, group);
  await using client = createClient({ schemes: [nntp()], policy: anyAddress() });
  const byClient = async (number: number): Promise<number> => {
    const found = await client.dereference(`nntp://127.0.0.1:${port}/${group}/${number}`);
    return found.kind === "content" ? (await found.bytes()).length : 0;
  };
  const results = await measureBenchmarkSpeeds(
    [
      {
        name: BARE_SOCKET_LOOP_NAME,
        unitsPerRun: count,
        run: () => repeatArticleFetch(count, (number) => sendRawCommand(raw, `ARTICLE ${number}\r\n`)),
      },
      { name: CLIENT_BENCHMARK_NAME, unitsPerRun: count, run: () => repeatArticleFetch(count, byClient) },
    ],
    rounds,
  );
  raw.destroy();
  const [loop, ours] = results;
  const ratio = (ours?.speed ?? 0) / (loop?.speed ?? Infinity);
  const verdict = `client ÷ raw loop: ${ratio.toFixed(2)}; goal ${MIN_SPEED_RATIO} ${ratio >= MIN_SPEED_RATIO ? "reached" : "MISSED"}`;
  return `${formatArticlesPerSecond(results, "articles/s")}\n${verdict}`;
}

function formatArticlesPerSecond(results: readonly SpeedResult[], what: string): string {
  const shown = (speed: number): string => (speed * 1e6).toFixed(0);
  return formatTable([
    ["", what, "from", "to", "found"],
    ...results.map(({ name, speed, slowestSpeed: slowest, fastestSpeed: fastest, foundItemCount: found }) => [
      name,
      shown(speed),
      shown(slowest),
      shown(fastest),
      String(found),
    ]),
  ]);
}

function splitIntoChunks(bytes: Buffer): ByteSource {
  let at = 0;
  return {
    readChunks(take) {
      while (at < bytes.length) {
        const piece = bytes.subarray(at, at + READ_CHUNK_BYTES);
        at += piece.length;
        if (!take(piece)) return Promise.resolve("more");
      }
      return Promise.resolve("end");
    },
    cancel: () => undefined,
  };
}

async function countOverviewEntries(bytes: Buffer, everything: boolean): Promise<number> {
  let found = 0;
  for await (const entry of parseOverviewLines(
    splitIntoChunks(bytes),
    { server: newsgroupUrl, group: "bench.group" },
    NNTP_LIMITS,
  )) {
    if (entry.number !== undefined && entry.subject !== "") found++;
    if (!everything) continue;
    const { from, messageId, modified, references, size, lines, url } = entry;
    if (!from || !messageId || !modified || !references || !size || !lines || !url) found--;
  }
  return found;
}

async function countOverviewByClient(port: number): Promise<number> {
  await using client = createClient({ schemes: [nntp()], policy: anyAddress() });
  const found = await client.dereference(`nntp://127.0.0.1:${port}/bench.group`);
  let count = 0;
  if (found.kind === "directory") for await (const entry of found) if (entry.name !== "") count++;
  return count;
}

/** Measures the retained memory while `parseOverviewLines` reads an overview of half a million articles. */
async function measureRetainedMemory(bytes: Buffer): Promise<string> {
  const limits = mergeLimits({ maxListingBytes: Infinity, maxListingEntries: Infinity }, NNTP_LIMITS);
  const endless = Array.from({ length: OVERVIEW_REPETITIONS }, () => splitIntoChunks(bytes));
  const source: ByteSource = {
    async readChunks(take) {
      const state = (await endless[0]?.readChunks(take)) ?? "end";
      if (state === "end") endless.shift();
      return endless.length > 0 ? "more" : "end";
    },
    cancel: () => undefined,
  };
  let count = 0;
  let before = 0;
  let most = 0;
  for await (const entry of parseOverviewLines(
    source,
    { server: newsgroupUrl, group: "bench.group" },
    limits,
  )) {
    if (entry.number === 1 && count === 0) before = measureMemoryAfterGc();
    if (++count % (ARTICLE_COUNT * 10) === 0) most = Math.max(most, measureMemoryAfterGc() - before);
  }
  return `retained memory while a client reads ${count} entries: at most ${most} bytes more than at the first entry; goal ${MAX_RETAINED_BYTES} ${most <= MAX_RETAINED_BYTES ? "reached" : "MISSED"}`;
}

async function openRawConnection(port: number, group: string): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "data");
  socket.write(`GROUP ${group}\r\n`);
  await once(socket, "data");
  return socket;
}

const END_OF_ARTICLE = Buffer.from("\r\n.\r\n");

/** Sends a command and waits for the terminating line with one dot. */
function sendRawCommand(socket: Socket, command: string): Promise<number> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const take = (bytes: Buffer): void => {
      parts.push(bytes);
      // The terminating line may be split between two chunks.
      const last = bytes.length >= END_OF_ARTICLE.length ? bytes : Buffer.concat(parts.slice(-2));
      if (!last.subarray(-END_OF_ARTICLE.length).equals(END_OF_ARTICLE)) return;
      socket.off("data", take);
      resolve((parts.length === 1 ? bytes : Buffer.concat(parts)).length);
    };
    socket.on("data", take);
    socket.write(command);
  });
}

async function repeatArticleFetch(
  count: number,
  fetch: (number: number) => Promise<number>,
): Promise<number> {
  let found = 0;
  for (let number = 1; number <= count; number++) found += (await fetch(number)) > 0 ? 1 : 0;
  return found;
}
