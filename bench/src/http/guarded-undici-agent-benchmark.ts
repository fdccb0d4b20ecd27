import { downloadMissingServers, startNginx } from "@anyscheme/servers";
import { anyAddress } from "@anyscheme/core";
import { guardedAgent } from "@anyscheme/undici";
import { Agent, type Dispatcher, fetch } from "undici";
import { formatTable, printAfterEmptyLine } from "../measure/format-table.ts";
import { runBenchmarksInterleaved } from "../measure/interleaved-rounds.ts";

/** The benchmark has many short rounds, because the speed of two long rounds varies by more than the goal allows. */
const BENCHMARK_ROUNDS = 151;
const PAGE_BYTES = 1024;
const REQUESTS_PER_ROUND = 300;
/** The default of `maxConnectionsPerHost`, with which both agents run. */
const CONNECTIONS = 8;
const MIN_RATIO = 0.97;

/** Sends one HTTP request and returns the size of the response body. */
type SendRequest = (dispatcher: Dispatcher, origin: string) => Promise<number>;

const REQUEST_FUNCTIONS: Readonly<Record<string, SendRequest>> = {
  request: async (dispatcher, origin) => {
    const { body } = await dispatcher.request({ origin, path: "/page", method: "GET" });
    return (await body.arrayBuffer()).byteLength;
  },
  fetch: async (dispatcher, origin) =>
    (await (await fetch(`${origin}/page`, { dispatcher })).arrayBuffer()).byteLength,
};

/** Compares `guardedAgent` with undici's own agent, in one process, with nginx as the server. */
export async function runGuardedUndiciAgentBenchmark(): Promise<void> {
  await downloadMissingServers(["nginx"]);
  await using nginx = await startNginx({ files: { page: "x".repeat(PAGE_BYTES) } });
  const origin = `http://127.0.0.1:${nginx.port}`;
  const guarded = guardedAgent({ policy: anyAddress() });
  const plain = new Agent({ connections: CONNECTIONS });
  for (const [name, send] of Object.entries(REQUEST_FUNCTIONS))
    for (const concurrency of [1, CONNECTIONS]) {
      const agents = [plain, guarded];
      const rates = await runBenchmarksInterleaved(agents, BENCHMARK_ROUNDS, (agent) =>
        measureRate(() => send(agent, origin), concurrency),
      );
      printAfterEmptyLine(formatRates(`${name}, 1 KiB, ${concurrency} at once`, rates));
    }
  await Promise.all([guarded.close(), plain.close()]);
}

/** Returns the number of HTTP requests per second. */
async function measureRate(send: () => Promise<number>, concurrency: number): Promise<number> {
  let left = REQUESTS_PER_ROUND;
  const sendInTurn = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  return (REQUESTS_PER_ROUND / (performance.now() - startMs)) * 1000;
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Formats each agent's median number of requests per second, and the median of the two agents' ratios in each round.
 */
function formatRates(title: string, [plain = [], guarded = []]: readonly (readonly number[])[]): string {
  const ratio = medianOf(guarded.map((rate, round) => rate / (plain[round] ?? Number.NaN)));
  const table = formatTable([
    [title, "requests/s"],
    ["undici.Agent", medianOf(plain).toFixed(0)],
    ["guardedAgent", medianOf(guarded).toFixed(0)],
  ]);
  const verdict = ratio >= MIN_RATIO ? "reached" : "MISSED";
  return `${table}\n${title}: guardedAgent ÷ undici.Agent: ${ratio.toFixed(3)}, goal ${MIN_RATIO} ${verdict}`;
}
