// This process measures the bytes that a parser allocates per URL. The syntax benchmark starts this process.
import { createConformingUrlCorpus, createComparedParsers } from "./compared-parsers.ts";

const PARSED_URL_COUNT = 20_000;
const RETAINED_RESULT_COUNT = 1024;

const urlCorpus = createConformingUrlCorpus(PARSED_URL_COUNT);
const retainedResults = Array.from({ length: RETAINED_RESULT_COUNT }, (): unknown => undefined);

function parseAllTexts(parse: (index: number) => unknown): void {
  for (let index = 0; index < PARSED_URL_COUNT; index++)
    retainedResults[index % RETAINED_RESULT_COUNT] = parse(index);
}

/** The measurement follows a warm-up, since optimized code allocates less than interpreted code. */
function measureBytesPerUrl(parse: (index: number) => unknown): number {
  for (let time = 0; time < 5; time++) parseAllTexts(parse);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  parseAllTexts(parse);
  return (process.memoryUsage().heapUsed - before) / PARSED_URL_COUNT;
}

const allocationRows = createComparedParsers(urlCorpus).map(({ name, parse }) => ({
  name,
  bytes: measureBytesPerUrl(parse),
}));
process.stdout.write(JSON.stringify(allocationRows));
