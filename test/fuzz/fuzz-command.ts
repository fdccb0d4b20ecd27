// Runs the fuzzer for some minutes: `pnpm fuzz -- --minutes 60 [--seed 1738] [--only FTP]`. The exit code is 1 when the
// fuzzer finds a fault in a parser.
import { parseArgs } from "node:util";
import { fuzzForMinutes } from "./fuzz-for-minutes.ts";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    only: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed))
  throw new TypeError("the options --minutes and --seed must be numbers");

const findings = await fuzzForMinutes({
  minutes,
  seed,
  targetFilter: values.only,
  log: (line) => console.log(line),
});
process.exitCode = findings.length > 0 ? 1 : 0;
