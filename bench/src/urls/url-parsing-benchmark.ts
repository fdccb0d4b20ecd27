import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@anyscheme/core";
import type { Url } from "@anyscheme/core/syntax";
import { http, https } from "@anyscheme/scheme-http";
import { measureAdversarialUrls } from "./measure-adversarial-urls.ts";
import { malformedUrlKindCount } from "./generate-malformed-urls.ts";
import {
  createConformingUrlCorpus,
  type UrlCorpus,
  FAST_URI_PARSER_NAME,
  createMalformedUrlCorpus,
  NATIVE_URL_PARSER_NAME,
  NATIVE_URL_CAN_PARSE_NAME,
  NATIVE_URL_FORMATTER_NAME,
  NATIVE_GETTER_READING_PARSER_NAME,
  ANYSCHEME_CAN_PARSE_NAME,
  ANYSCHEME_FORMATTER_NAME,
  ANYSCHEME_MODERN_PARSER_NAME,
  ANYSCHEME_PARSER_NAME,
  ANYSCHEME_FAULT_READING_PARSER_NAME,
  ANYSCHEME_GETTER_READING_PARSER_NAME,
  createComparedParsers,
  selectHttpUrls,
  URI_JS_PARSER_NAME,
} from "./compared-parsers.ts";
import {
  type SpeedBenchmark,
  measureBenchmarkSpeeds,
  readCpuTimeMs,
  type SpeedResult,
} from "../measure/interleaved-rounds.ts";
import { schemesWithoutOwnSyntax } from "./benchmarked-syntaxes.ts";
import { formatTable, printAfterEmptyLine } from "../measure/format-table.ts";

const BENCHMARK_ROUNDS = 9;
const CONFORMING_URL_COUNT = 100_000;
const MALFORMED_URL_COUNT = 10_000;
/**
 * The number of passes over the malformed URLs per round. With several passes, the round over the few malformed URLs
 * is long enough for the measurement.
 */
const MALFORMED_URL_PASSES = 5;

/**
 * The number of parsing results that the benchmark retains. Retaining results prevents V8 from optimizing the parsing
 * away.
 */
const RETAINED_RESULT_COUNT = 1024;

/** The minimum ratio of the speed of `ownParser` to the speed of `comparedParser`. */
interface ParserSpeedGoal {
  readonly ownParser: string;
  readonly comparedParser: string;
  readonly minRatio: number;
}

/** A difference of 5 % between two modes is within the accuracy of the benchmark. */
const MODE_RATIO = 0.95;

/** The goals for the URLs of all schemes and for the http and https URLs. */
const CONFORMING_URL_GOALS: readonly ParserSpeedGoal[] = [
  { ownParser: ANYSCHEME_PARSER_NAME, comparedParser: NATIVE_URL_PARSER_NAME, minRatio: 1.5 },
  { ownParser: ANYSCHEME_PARSER_NAME, comparedParser: FAST_URI_PARSER_NAME, minRatio: 10 },
  { ownParser: ANYSCHEME_PARSER_NAME, comparedParser: URI_JS_PARSER_NAME, minRatio: 10 },
  { ownParser: ANYSCHEME_PARSER_NAME, comparedParser: ANYSCHEME_MODERN_PARSER_NAME, minRatio: MODE_RATIO },
  {
    ownParser: ANYSCHEME_GETTER_READING_PARSER_NAME,
    comparedParser: NATIVE_GETTER_READING_PARSER_NAME,
    minRatio: 1.2,
  },
  { ownParser: ANYSCHEME_FORMATTER_NAME, comparedParser: NATIVE_URL_FORMATTER_NAME, minRatio: 1 },
  { ownParser: ANYSCHEME_CAN_PARSE_NAME, comparedParser: NATIVE_URL_PARSER_NAME, minRatio: 1.5 },
  { ownParser: ANYSCHEME_CAN_PARSE_NAME, comparedParser: NATIVE_URL_CAN_PARSE_NAME, minRatio: 0.7 },
];
/**
 * The speed goals for malformed URLs. The second goal includes reading the fault, which our parser computes only when a
 * program reads it.
 */
const MALFORMED_URL_GOALS: readonly ParserSpeedGoal[] = [
  { ownParser: ANYSCHEME_PARSER_NAME, comparedParser: NATIVE_URL_PARSER_NAME, minRatio: 5 },
  { ownParser: ANYSCHEME_FAULT_READING_PARSER_NAME, comparedParser: NATIVE_URL_PARSER_NAME, minRatio: 5 },
];
const MAX_BYTES_PER_URL = 250;
const MAX_NANOSECONDS_PER_PLAN = 3000;

/**
 * Measures the parsing of URLs: its speed compared with other parsers, its allocated bytes, and its time for
 * adversarial URLs.
 */
export async function runUrlParsingBenchmark(): Promise<void> {
  const good = createConformingUrlCorpus(CONFORMING_URL_COUNT);
  const bad = createMalformedUrlCorpus(MALFORMED_URL_COUNT);
  const length = good.urlTexts.reduce((sum, text) => sum + text.length, 0) / CONFORMING_URL_COUNT;
  const shared =
    schemesWithoutOwnSyntax.length === 0
      ? ""
      : `; ${schemesWithoutOwnSyntax.join(", ")} by the generic grammar`;
  printAfterEmptyLine(`${CONFORMING_URL_COUNT} conforming URLs, mean length ${length.toFixed(0)}${shared}`);
  printAfterEmptyLine("CPU time, which includes the collection of garbage");
  // The http and https URLs come first: after URLs of many classes, V8 reads the properties of URLs more slowly.
  const web = selectHttpUrls(good);
  printAfterEmptyLine(`${web.urlTexts.length} http and https URLs`);
  await compareParsers(web, 1, CONFORMING_URL_GOALS);
  printAfterEmptyLine(await measurePlans(web));
  printAfterEmptyLine(`${CONFORMING_URL_COUNT} URLs of all schemes`);
  await compareParsers(good, 1, CONFORMING_URL_GOALS);

  printAfterEmptyLine(
    `${MALFORMED_URL_COUNT} malformed URLs of ${malformedUrlKindCount} kinds; "accepted": not rejected by the parser`,
  );
  checkAllTextsRejected(bad);
  await compareParsers(bad, MALFORMED_URL_PASSES, MALFORMED_URL_GOALS);
  const formatters = [
    createFormatBenchmark("format, conforming", good),
    createFormatBenchmark("format, with deviations", bad),
  ];
  printAfterEmptyLine(
    formatParserTable(await measureBenchmarkSpeeds(formatters, BENCHMARK_ROUNDS, readCpuTimeMs)),
  );
  printAfterEmptyLine(
    `Medians of ${BENCHMARK_ROUNDS} interleaved rounds. "×": speed relative to ${NATIVE_URL_PARSER_NAME}.`,
  );

  printAfterEmptyLine(await measureAllocation());
  printAfterEmptyLine(measureAdversarialUrls());
}

/** Measures all parsers with one corpus, and prints the table and the goals. */
async function compareParsers(
  corpus: UrlCorpus,
  times: number,
  goals: readonly ParserSpeedGoal[],
): Promise<void> {
  const results = await measureBenchmarkSpeeds(
    createParserBenchmarks(corpus, times),
    BENCHMARK_ROUNDS,
    readCpuTimeMs,
  );
  printAfterEmptyLine(formatParserTable(results));
  printAfterEmptyLine(formatSpeedGoals(results, goals));
}

/** Measures `client.plan` with parsed http and https URLs and with their texts. */
async function measurePlans({ urlTexts }: UrlCorpus): Promise<string> {
  const client = createClient({ schemes: [http(), https()] });
  const urls = urlTexts.map((text) => client.parse(text));
  const createBenchmark = (name: string, inputs: readonly (string | Url)[]): SpeedBenchmark => ({
    name,
    unitsPerRun: inputs.length,
    run: () => inputs.reduce<number>((sum, input) => sum + Math.sign(client.plan(input).steps.length), 0),
  });
  const results = await measureBenchmarkSpeeds(
    [createBenchmark("client.plan(url)", urls), createBenchmark("client.plan(text)", urlTexts)],
    BENCHMARK_ROUNDS,
    readCpuTimeMs,
  );
  const perUrl = 1000 / (results[0]?.speed ?? 0);
  const verdict = perUrl <= MAX_NANOSECONDS_PER_PLAN ? "reached" : "MISSED";
  return [
    formatParserTable(results),
    `client.plan(url): ${perUrl.toFixed(0)} ns (goal ${MAX_NANOSECONDS_PER_PLAN} ns ${verdict})`,
  ].join("\n");
}

/** Throws when our parser accepts a malformed text, since the benchmark would then not measure the rejection. */
function checkAllTextsRejected({ urlTexts: texts, syntaxOfEachUrl }: UrlCorpus): void {
  texts.forEach((text, index) => {
    if (syntaxOfEachUrl[index]?.canParse(text, { mode: "rfc1738" }))
      throw new Error(`not malformed: ${text}`);
  });
}

function createParserBenchmarks(corpus: UrlCorpus, times: number): SpeedBenchmark[] {
  const { urlTexts: texts } = corpus;
  const kept = Array.from({ length: RETAINED_RESULT_COUNT }, (): unknown => undefined);
  return createComparedParsers(corpus).map(({ name, parse }) => {
    const found = texts.filter((_, index) => isAcceptedByParser(parse(index))).length;
    const run = (): number => {
      for (let time = 0; time < times; time++) {
        for (let index = 0; index < texts.length; index++) kept[index % RETAINED_RESULT_COUNT] = parse(index);
      }
      return found;
    };
    return { name, unitsPerRun: texts.length * times, run };
  });
}

/**
 * Returns true when the result of a parser means that it accepted the text. The compared parsers report
 * errors in different ways.
 */
function isAcceptedByParser(result: unknown): boolean {
  if (typeof result !== "object" || result === null) return result === true;
  return !("fault" in result || "section" in result || ("error" in result && result.error !== undefined));
}

/** Creates a benchmark that formats the URLs of a corpus that modern mode accepts. */
function createFormatBenchmark(
  name: string,
  { urlTexts: texts, syntaxOfEachUrl }: UrlCorpus,
): SpeedBenchmark {
  const urls = texts.flatMap((text, index) => {
    const syntax = syntaxOfEachUrl[index];
    const url = syntax?.tryParse(text).url;
    return syntax && url ? [{ syntax, url }] : [];
  });
  const run = (): number =>
    urls.reduce((sum, { syntax, url }) => sum + Math.sign(syntax.format(url).length), 0);
  return { name, unitsPerRun: urls.length, run };
}

/** Formats a table of the parsers' times in nanoseconds per URL. */
function formatParserTable(results: readonly SpeedResult[]): string {
  const native = results.find(({ name }) => name === NATIVE_URL_PARSER_NAME);
  return formatTable([
    ["", "ns/URL", "from", "to", "×", "accepted"],
    ...results.map(({ name, speed, slowestSpeed: slowest, fastestSpeed: fastest, foundItemCount: found }) => {
      const ns = (each: number): string => (1000 / each).toFixed(0);
      return [
        name,
        ns(speed),
        ns(fastest),
        ns(slowest),
        native ? (speed / native.speed).toFixed(2) : "",
        String(found),
      ];
    }),
  ]);
}

function formatSpeedGoals(results: readonly SpeedResult[], goals: readonly ParserSpeedGoal[]): string {
  const speed = (name: string): number => results.find((result) => result.name === name)?.speed ?? Number.NaN;
  return goals
    .map(({ ownParser: ours, comparedParser: peer, minRatio: times }) => {
      const ratio = speed(ours) / speed(peer);
      return `${ours} ÷ ${peer}: ${ratio.toFixed(2)} × (goal ${times} ${ratio >= times ? "reached" : "MISSED"})`;
    })
    .join("\n");
}

/**
 * Returns a table of the bytes that each parser allocates per URL. The measuring process has a young generation so
 * large that no garbage collection runs.
 */
async function measureAllocation(): Promise<string> {
  const script = fileURLToPath(new URL("allocation-process.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    "--min-semi-space-size=512",
    "--max-semi-space-size=512",
    script,
  ]);
  const rows = JSON.parse(stdout) as { name: string; bytes: number }[];
  const ours = rows.find(({ name }) => name === ANYSCHEME_PARSER_NAME)?.bytes ?? Number.NaN;
  return [
    formatTable([
      ["", "bytes allocated per URL"],
      ...rows.map(({ name, bytes }) => [name, bytes.toFixed(0)]),
    ]),
    `Growth of the heap for 20000 URLs, without a garbage collection, in a separate process.`,
    `${ANYSCHEME_PARSER_NAME}: goal ${MAX_BYTES_PER_URL} ${ours <= MAX_BYTES_PER_URL ? "reached" : "MISSED"}`,
  ].join("\n");
}
