import {
  type UrlMatch,
  type ExtractUrlsOptions,
  extractUrls,
  type ExtractUrlsParser,
} from "@anyscheme/core/extract";
import { LinkifyIt } from "linkify-it";
import urlRegexSafe from "url-regex-safe";
import { measureMemoryAfterGc } from "../measure/memory-after-gc.ts";
import { generateMailCorpusWithUrls } from "./generate-mail-corpus.ts";
import {
  formatSpeedTable,
  type SpeedBenchmark,
  measureBenchmarkSpeeds,
} from "../measure/interleaved-rounds.ts";
import { benchmarkedSyntaxes } from "./benchmarked-syntaxes.ts";
import { formatTable, printAfterEmptyLine } from "../measure/format-table.ts";

const BENCHMARK_ROUNDS = 5;
const BYTES_PER_MIB = 2 ** 20;
const MAIL_BYTES = 64 * BYTES_PER_MIB;
const WRAPPED_URL_COUNT = 45_000;
const BARE_URL_COUNT = 85_000;
/** Slow peer libraries process only every sixteenth message. */
const MESSAGE_INTERVAL_FOR_SLOW_LIBRARIES = 16;

const schemeNames = benchmarkedSyntaxes.flatMap(({ schemes }) => schemes);

/**
 * Measures the extraction of URLs from mail: its speed compared with other libraries, its memory, and its
 * time for adversarial texts.
 */
export async function runExtractBenchmark(): Promise<void> {
  const began = performance.now();
  const mail = generateMailCorpusWithUrls({
    seed: 1738,
    totalBytes: MAIL_BYTES,
    wrappedUrlCount: WRAPPED_URL_COUNT,
    bareUrlCount: BARE_URL_COUNT,
  });
  const text = mail.messages.join("");
  const bytes = new TextEncoder().encode(text);
  printAfterEmptyLine(
    `${mail.messages.length} messages, ${bytes.length} bytes, ${WRAPPED_URL_COUNT} wrapped and ${BARE_URL_COUNT} bare URLs (${formatSecondsSince(began)} to make)`,
  );
  const part = mail.messages.filter((_, index) => index % MESSAGE_INTERVAL_FOR_SLOW_LIBRARIES === 0);
  checkExtractedUrls(text);
  const benchmarks = [
    ...createAnyschemeBenchmarks(text, bytes),
    ...createPeerLibraryBenchmarks(text, bytes, part),
  ];
  printAfterEmptyLine(
    formatSpeedTable(
      await measureBenchmarkSpeeds(benchmarks, BENCHMARK_ROUNDS),
      "one regular expression, wrapped and bare URLs",
    ),
  );
  printAfterEmptyLine(
    `Medians of ${BENCHMARK_ROUNDS} interleaved rounds, the best of two runs in each. "scan": the search without parsing the found URLs. Libraries marked * search only one message of ${MESSAGE_INTERVAL_FOR_SLOW_LIBRARIES}.`,
  );
  await measureStreamMemory(bytes);
  measureAdversarialTexts();
  printAfterEmptyLine(`${formatSecondsSince(began)} in all`);
}

function formatSecondsSince(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** Throws unless the extraction finds as many URLs as the generator inserted. */
function checkExtractedUrls(text: string): void {
  let wrapped = 0;
  let bare = 0;
  for (const found of extractUrls(text, { syntaxes: benchmarkedSyntaxes })) {
    if (found.isAlternative) continue;
    if (found.inUrlWrapper) wrapped++;
    else bare++;
  }
  if (wrapped !== WRAPPED_URL_COUNT || bare !== BARE_URL_COUNT) {
    throw new Error(
      `found ${wrapped} wrapped and ${bare} bare URLs instead of ${WRAPPED_URL_COUNT} and ${BARE_URL_COUNT}`,
    );
  }
}

/**
 * Returns a parser that returns the same URL for every text, so that the benchmark measures only the search.
 */
function createConstantParser(): ExtractUrlsParser {
  const [{ url } = { url: undefined }] = extractUrls("http://host/", { syntaxes: benchmarkedSyntaxes });
  if (!url) throw new Error("http is not registered");
  const result = { url };
  return { schemes: schemeNames, tryParse: () => result };
}

function createAnyschemeBenchmarks(text: string, bytes: Uint8Array): SpeedBenchmark[] {
  const scan = [createConstantParser()];
  const of = (
    name: string,
    source: string | Uint8Array,
    options: ExtractUrlsOptions,
    goal?: number,
  ): SpeedBenchmark => ({
    name,
    unitsPerRun: bytes.length,
    speedGoal: goal,
    run: () => countMatchesInMessages(extractUrls(source, options)),
  });
  const streamOf = (
    name: string,
    make: () => AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    goal?: number,
  ): SpeedBenchmark => ({
    name,
    unitsPerRun: bytes.length,
    speedGoal: goal,
    run: () => countStreamedMatches(extractUrls(make(), { syntaxes: benchmarkedSyntaxes })),
  });
  // V8 stores a text with a character beyond Latin-1 in 16-bit units.
  const wide = `${text}“`;
  return [
    of("string, wrapped and bare URLs", text, { syntaxes: benchmarkedSyntaxes }, 300),
    of("string, wrapped and bare URLs, strict mode", text, {
      syntaxes: benchmarkedSyntaxes,
      mode: "rfc1738",
    }),
    of("string, wrapped and bare URLs, scan", text, { syntaxes: scan }),
    of("string with characters above U+00FF, wrapped and bare URLs", wide, { syntaxes: benchmarkedSyntaxes }),
    of("string, wrapped URLs", text, { syntaxes: benchmarkedSyntaxes, bareUrls: false }, 1000),
    of("string, wrapped URLs, scan", text, { syntaxes: scan, bareUrls: false }),
    of("bytes, wrapped and bare URLs", bytes, { syntaxes: benchmarkedSyntaxes }),
    of("bytes, wrapped and bare URLs, scan", bytes, { syntaxes: scan }),
    of("bytes, wrapped URLs", bytes, { syntaxes: benchmarkedSyntaxes, bareUrls: false }),
    streamOf("stream of bytes, 256 KiB chunks", () => splitTextIntoChunks(bytes, 2 ** 18), 250),
    streamOf("web stream of bytes, 64 KiB chunks", () =>
      ReadableStream.from(splitTextIntoChunks(bytes, 2 ** 16)),
    ),
  ];
}

function createPeerLibraryBenchmarks(
  text: string,
  bytes: Uint8Array,
  part: readonly string[],
): SpeedBenchmark[] {
  const partLength = Buffer.byteLength(part.join(""));
  const each = (name: string, search: (message: string) => number): SpeedBenchmark => ({
    name: `${name} *`,
    unitsPerRun: partLength,
    run: () => part.reduce((sum, message) => sum + search(message), 0),
  });
  const both = new RegExp(`<URL:[^>]*>|\\b(?:${schemeNames.join("|")}):[^\\s<>"]+`, "gi");
  const linkify = new LinkifyIt();
  const plain = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const name of ["gopher:", "news:", "nntp:", "telnet:", "wais:", "file:", "prospero:"]) {
    const validate = (message: string, position: number): number =>
      /^[^\s<>"]+/.exec(message.slice(position))?.[0].length ?? 0;
    plain.add(name, { validate });
  }
  const strict = urlRegexSafe({ strict: true });
  const loose = urlRegexSafe();
  return [
    {
      name: "one regular expression, wrapped and bare URLs",
      unitsPerRun: bytes.length,
      run: () => text.match(both)?.length ?? 0,
    },
    { name: "decoding alone", unitsPerRun: bytes.length, run: () => new TextDecoder().decode(bytes).length },
    each("linkify-it 6", (message) => linkify.match(message)?.length ?? 0),
    each(
      "linkify-it 6, without fuzzy links, with six added schemes",
      (message) => plain.match(message)?.length ?? 0,
    ),
    each("url-regex-safe 4, strict", (message) => message.match(strict)?.length ?? 0),
    each("url-regex-safe 4", (message) => message.match(loose)?.length ?? 0),
  ];
}

function countMatchesInMessages(found: Iterable<UrlMatch>): number {
  let total = 0;
  for (const { isAlternative: alternative } of found) if (!alternative) total++;
  return total;
}

async function countStreamedMatches(found: AsyncIterable<UrlMatch>): Promise<number> {
  let total = 0;
  for await (const { isAlternative: alternative } of found) if (!alternative) total++;
  return total;
}

async function* splitTextIntoChunks(
  bytes: Uint8Array,
  size: number,
  times = 1,
): AsyncGenerator<Uint8Array, void> {
  for (let time = 0; time < times; time++) {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }
}

/** Measures the heap and the buffers after a garbage collection for every 16 MiB of an extracted stream. */
async function measureStreamMemory(bytes: Uint8Array): Promise<void> {
  const samples: number[] = [];
  let next = 16 * BYTES_PER_MIB;
  for await (const { index } of extractUrls(splitTextIntoChunks(bytes, 2 ** 18, 4), {
    syntaxes: benchmarkedSyntaxes,
  })) {
    if (index < next) continue;
    samples.push(measureMemoryAfterGc() / 1024);
    next += 16 * BYTES_PER_MIB;
  }
  const [first = 0] = samples;
  printAfterEmptyLine(
    `Memory retained while a stream of ${4 * (MAIL_BYTES / BYTES_PER_MIB)} MiB is read, compared with the end of the first 16 MiB: at most ${(Math.max(...samples) - first).toFixed(0)} KiB more.`,
  );
}

const ADVERSARIAL_TEXTS: Readonly<Record<string, string>> = {
  "wrappers in wrappers": "<URL:",
  "wrappers without an end": "<URL:a ",
  colons: ":",
  schemes: "http:",
  "URLs in one run": "http://a/",
  "URLs between wide commas": "http://a/，",
  brackets: `http://a/${"(".repeat(40)}${"()".repeat(40)} `,
  "quotation marks": `http://a/${"'".repeat(4000)} `,
  "hyphens at line ends": `<URL:http://a/${"-\n".repeat(2000)}> `,
};

/** Prints the speed for adversarial texts, and the ratio of the times for texts of twice and of once the length. */
function measureAdversarialTexts(): void {
  const time = (bytes: Uint8Array): number => {
    const times = Array.from({ length: 5 }, () => {
      const before = performance.now();
      countMatchesInMessages(extractUrls(bytes, { syntaxes: benchmarkedSyntaxes }));
      return performance.now() - before;
    });
    return Math.min(...times);
  };
  const rows = Object.entries(ADVERSARIAL_TEXTS).map(([name, unit]) => {
    const once = new TextEncoder().encode(unit.repeat(Math.ceil((2 * BYTES_PER_MIB) / unit.length)));
    const twice = new Uint8Array(once.length * 2);
    twice.set(once);
    twice.set(once, once.length);
    time(once);
    const [short, long] = [time(once), time(twice)];
    return [name, (twice.length / long / 1000).toFixed(0), (long / short).toFixed(2)];
  });
  printAfterEmptyLine(
    formatTable([["adversarial bytes", "MB/s", "time ratio for twice the length"], ...rows]),
  );
}
