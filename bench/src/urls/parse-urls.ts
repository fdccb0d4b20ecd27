import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { measureAdversarialUrls } from "./adversarial-urls.ts";
import { malformedUrlKindCount } from "./generate-malformed-urls.ts";
import {
  createConformingUrlCorpus,
  type UrlCorpus,
  FAST_URI_PARSER,
  createMalformedUrlCorpus,
  NATIVE_URL_PARSER,
  NATIVE_URL_CAN_PARSE,
  ANYSCHEME_CAN_PARSE,
  ANYSCHEME_PARSER,
  ANYSCHEME_PARSER_WITH_FAULT,
  createParsers,
  URI_JS_PARSER,
} from "./compared-parsers.ts";
import { type SpeedBenchmark, measureSpeeds, type SpeedResult } from "../measure/interleaved-rounds.ts";
import { schemesWithoutGrammar } from "./benchmark-syntaxes.ts";
import { formatTable, printParagraph } from "../measure/format-table.ts";

const ROUNDS = 9;
const CONFORMING = 100_000;
const MALFORMED = 10_000;
/**
 * The number of passes over the malformed URLs per round. A round with this number of passes lasts as long as
 * a round with the conforming URLs.
 */
const TIMES = 5;

/** The number of retained results. Retaining them prevents V8 from optimizing the parsing away. */
const KEPT = 1024;

/** The minimum ratio of the speed of `ours` to the speed of `peer`. */
interface Goal {
  readonly ours: string;
  readonly peer: string;
  readonly times: number;
}

const GOALS: readonly Goal[] = [
  { ours: ANYSCHEME_PARSER, peer: NATIVE_URL_PARSER, times: 1.5 },
  { ours: ANYSCHEME_PARSER, peer: FAST_URI_PARSER, times: 10 },
  { ours: ANYSCHEME_PARSER, peer: URI_JS_PARSER, times: 10 },
  { ours: ANYSCHEME_CAN_PARSE, peer: NATIVE_URL_CAN_PARSE, times: 0.7 },
];
/** The second benchmark also reads the reason why a URL is rejected, which the parser computes only when it is read. */
const GOALS_MALFORMED: readonly Goal[] = [
  { ours: ANYSCHEME_PARSER, peer: NATIVE_URL_PARSER, times: 5 },
  { ours: ANYSCHEME_PARSER_WITH_FAULT, peer: NATIVE_URL_PARSER, times: 5 },
];
const BYTES_GOAL = 250;

/**
 * Measures the parsing of URLs: its speed compared with other parsers, its allocated bytes, and its time for
 * adversarial URLs.
 */
export async function runSyntaxBenchmark(): Promise<void> {
  const good = createConformingUrlCorpus(CONFORMING);
  const bad = createMalformedUrlCorpus(MALFORMED);
  const length = good.urlTexts.reduce((sum, text) => sum + text.length, 0) / CONFORMING;
  const shared =
    schemesWithoutGrammar.length === 0 ? "" : `; ${schemesWithoutGrammar.join(", ")} by the generic grammar`;
  printParagraph(`${CONFORMING} conforming URLs, mean length ${length.toFixed(0)}${shared}`);
  const results = await measureSpeeds(createParserBenchmarks(good, 1), ROUNDS);
  printParagraph(formatParserTable(results));
  printParagraph(formatSpeedGoals(results, GOALS));

  printParagraph(`${MALFORMED} malformed URLs of ${malformedUrlKindCount} kinds; "taken": not refused`);
  checkAllTextsRejected(bad);
  const refusals = await measureSpeeds(createParserBenchmarks(bad, TIMES), ROUNDS);
  printParagraph(formatParserTable(refusals));
  printParagraph(formatSpeedGoals(refusals, GOALS_MALFORMED));
  const formatters = [
    createFormatBenchmark("format, conforming", good),
    createFormatBenchmark("format, with deviations", bad),
  ];
  printParagraph(formatParserTable(await measureSpeeds(formatters, ROUNDS)));
  printParagraph(
    `Medians of ${ROUNDS} interleaved rounds. "×": so many times as fast as ${NATIVE_URL_PARSER}.`,
  );

  printParagraph(await measureAllocation());
  printParagraph(measureAdversarialUrls());
}

/** Throws when a parser accepts a malformed text, since the benchmark would then not measure the rejection. */
function checkAllTextsRejected({ urlTexts: texts, syntaxes: readers }: UrlCorpus): void {
  texts.forEach((text, index) => {
    if (readers[index]?.canParse(text, { mode: "rfc1738" })) throw new Error(`not malformed: ${text}`);
  });
}

function createParserBenchmarks(corpus: UrlCorpus, times: number): SpeedBenchmark[] {
  const { urlTexts: texts } = corpus;
  const kept = Array.from({ length: KEPT }, (): unknown => undefined);
  return createParsers(corpus).map(({ name, parse }) => {
    const found = texts.filter((_, index) => isTextAccepted(parse(index))).length;
    const run = (): number => {
      for (let time = 0; time < times; time++) {
        for (let index = 0; index < texts.length; index++) kept[index % KEPT] = parse(index);
      }
      return found;
    };
    return { name, amountPerRun: texts.length * times, run };
  });
}

/**
 * Returns true when the result of a parser means that it accepted the text. The compared parsers report
 * errors in different ways.
 */
function isTextAccepted(result: unknown): boolean {
  if (typeof result !== "object" || result === null) return result === true;
  return !("fault" in result || "section" in result || ("error" in result && result.error !== undefined));
}

/** Creates a benchmark that formats the URLs of a corpus that modern mode accepts. */
function createFormatBenchmark(
  name: string,
  { urlTexts: texts, syntaxes: readers }: UrlCorpus,
): SpeedBenchmark {
  const urls = texts.flatMap((text, index) => {
    const reader = readers[index];
    const url = reader?.tryParse(text).url;
    return reader && url ? [{ reader, url }] : [];
  });
  const run = (): number =>
    urls.reduce((sum, { reader, url }) => sum + Math.sign(reader.format(url).length), 0);
  return { name, amountPerRun: urls.length, run };
}

/** Formats a table of the parsers' speeds in millions of URLs per second. */
function formatParserTable(results: readonly SpeedResult[]): string {
  const native = results.find(({ name }) => name === NATIVE_URL_PARSER);
  return formatTable([
    ["", "ns/URL", "from", "to", "×", "taken"],
    ...results.map(({ name, speed, slowestSpeed: slowest, fastestSpeed: fastest, foundCount: found }) => {
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

function formatSpeedGoals(results: readonly SpeedResult[], goals: readonly Goal[]): string {
  const speed = (name: string): number => results.find((result) => result.name === name)?.speed ?? Number.NaN;
  return goals
    .map(({ ours, peer, times }) => {
      const ratio = speed(ours) / speed(peer);
      return `${ours} ÷ ${peer}: ${ratio.toFixed(2)} × (goal ${times} ${ratio >= times ? "reached" : "MISSED"})`;
    })
    .join("\n");
}

/**
 * Returns the bytes that a parser allocates per URL. The measuring process has a young generation so large
 * that no garbage collection runs.
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
  const ours = rows.find(({ name }) => name === ANYSCHEME_PARSER)?.bytes ?? Number.NaN;
  return [
    formatTable([
      ["", "bytes allocated per URL"],
      ...rows.map(({ name, bytes }) => [name, bytes.toFixed(0)]),
    ]),
    `Growth of the heap over 20000 URLs, without a collection, in a process of its own.`,
    `${ANYSCHEME_PARSER}: goal ${BYTES_GOAL} ${ours <= BYTES_GOAL ? "reached" : "MISSED"}`,
  ].join("\n");
}
