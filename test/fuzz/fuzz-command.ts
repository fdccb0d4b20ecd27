// Runs the fuzzer for some minutes, or with some number of inputs for each target:
// `pnpm fuzz -- --minutes 60 [--seed 1738] [--only FTP]`, or `pnpm fuzz -- --count 100000 --only "dialled hosts"`. The
// exit code is 1 when the fuzzer finds a fault in a parser.
import { parseArgs } from "node:util";
import { FUZZ_TARGETS } from "./fuzz-targets.ts";
import { runFuzzer } from "./run-fuzzer.ts";

/** The time limit of a run with a number of inputs, in minutes. */
const MAX_MINUTES_WITH_COUNT_OPTION = 24 * 60;

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
const fuzzMinutes = Number(
  values.minutes ?? (inputsPerTarget === undefined ? 1 : MAX_MINUTES_WITH_COUNT_OPTION),
);
const fuzzSeed = Number(values.seed);
if (!(fuzzMinutes > 0) || !Number.isSafeInteger(fuzzSeed))
  throw new TypeError("the options --minutes and --seed must be numbers");
if (inputsPerTarget !== undefined && !(Number.isSafeInteger(inputsPerTarget) && inputsPerTarget > 0))
  throw new TypeError("the option --count must be a whole number above 0");
const selectedFuzzTargets = FUZZ_TARGETS.filter(({ name }) => name.includes(values.only));
if (selectedFuzzTargets.length === 0) throw new TypeError(`no target has "${values.only}" in its name`);

const fuzzFindings = await runFuzzer({
  targets: selectedFuzzTargets,
  minutes: fuzzMinutes,
  inputsPerTarget,
  seed: fuzzSeed,
  log: (line) => console.log(line),
});
process.exitCode = fuzzFindings.length > 0 ? 1 : 0;
