// This process measures the bytes that a parser allocates per URL. The syntax benchmark starts it.
import { createConformingUrlCorpus, createParsers } from "./compared-parsers.ts";

const COUNT = 20_000;
const KEPT = 1024;

const corpus = createConformingUrlCorpus(COUNT);
const kept = Array.from({ length: KEPT }, (): unknown => undefined);

function parseAllTexts(parse: (index: number) => unknown): void {
  for (let index = 0; index < COUNT; index++) kept[index % KEPT] = parse(index);
}

/** The measurement follows a warm-up, since optimized code allocates less than interpreted code. */
function measureBytesPerUrl(parse: (index: number) => unknown): number {
  for (let time = 0; time < 5; time++) parseAllTexts(parse);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  parseAllTexts(parse);
  return (process.memoryUsage().heapUsed - before) / COUNT;
}

const rows = createParsers(corpus).map(({ name, parse }) => ({ name, bytes: measureBytesPerUrl(parse) }));
process.stdout.write(JSON.stringify(rows));
