// Runs the fuzzer for some minutes, or with some number of inputs for each target:
// `pnpm fuzz -- --minutes 60 [--seed 1738] [--only FTP]`, or `pnpm fuzz -- --count 100000 --only "dialled hosts"`. The exit
// code is 1 when the fuzzer finds a fault in a parser.
import { parseArgs } from "node:util";
import { FUZZ_TARGETS } from "./fuzz-targets.ts";
import { runFuzzer } from "./run-fuzzer.ts";

/** The time limit of a run with a number of inputs, in minutes. */
const MINUTES_WITH_COUNT = 24 * 60;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    minutes: { type: "string" },
    count: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    only: { type: "string", default: "" },
  },
});
const inputsPerTarget = values.count === undefined ? undefined : Number(values.count);
const minutes = Number(values.minutes ?? (inputsPerTarget === undefined ? 1 : MINUTES_WITH_COUNT));
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed))
  throw new TypeError("the options --minutes and --seed must be numbers");
if (inputsPerTarget !== undefined && !(Number.isSafeInteger(inputsPerTarget) && inputsPerTarget > 0))
  throw new TypeError("the option --count must be a whole number above 0");
const targets = FUZZ_TARGETS.filter(({ name }) => name.includes(values.only));
if (targets.length === 0) throw new TypeError(`no target has "${values.only}" in its name`);

const fuzzFindings = await runFuzzer({
  targets,
  minutes,
  inputsPerTarget,
  seed,
  log: (line) => console.log(line),
});
process.exitCode = fuzzFindings.length > 0 ? 1 : 0;
