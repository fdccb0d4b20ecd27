// The process that measures allocated bytes: see `allocation` in syntax.ts.
import { conforming, parsers } from "./parsers.ts";

const COUNT = 20_000;
const KEPT = 1024;

const corpus = conforming(COUNT);
const kept = Array.from({ length: KEPT }, (): unknown => undefined);

function readAll(parse: (index: number) => unknown): void {
  for (let index = 0; index < COUNT; index++) kept[index % KEPT] = parse(index);
}

/** Measures after warm-up, since optimized code allocates less than the interpreter. */
function bytesPerUrl(parse: (index: number) => unknown): number {
  for (let time = 0; time < 5; time++) readAll(parse);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  readAll(parse);
  return (process.memoryUsage().heapUsed - before) / COUNT;
}

const rows = parsers(corpus).map(({ name, parse }) => ({ name, bytes: bytesPerUrl(parse) }));
process.stdout.write(JSON.stringify(rows));
