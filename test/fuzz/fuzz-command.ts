// Runs the fuzzer: `pnpm fuzz -- --help`. The exit code is 1 when the fuzzer finds a fault in a parser.
import { parseArgs } from "node:util";
import type { FuzzTarget } from "./fuzz-target.ts";
import { FUZZ_TARGETS } from "./fuzz-targets.ts";
import { runFuzzer } from "./run-fuzzer.ts";

const HELP = `usage: pnpm fuzz -- [--minutes N | --count N] [--seed N] [--only TEXT] [--list]

  --minutes N  run for N minutes; default 1
  --count N    run each target with N inputs, at most a day
  --seed N     repeat the inputs of an earlier run
  --only TEXT  run the targets with TEXT in their names, such as FTP or "dialled hosts"
  --list       print the names of the targets
`;

/** The time limit of a run with the option `--count`, in minutes. */
const MAX_MINUTES_WITH_COUNT_OPTION = 24 * 60;

interface FuzzSettings {
  readonly targets: readonly FuzzTarget[];
  readonly minutes: number;
  readonly inputsPerTarget: number | undefined;
  readonly seed: number;
}

/**
 * Parses the arguments of the command `pnpm fuzz`. Returns `undefined` after the help or the list of targets was
 * printed. Throws `TypeError`.
 */
function parseFuzzArguments(args: readonly string[]): FuzzSettings | undefined {
  const { values } = parseArgs({
    args: args.filter((argument) => argument !== "--"),
    options: {
      minutes: { type: "string" },
      count: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      only: { type: "string", default: "" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const targets = FUZZ_TARGETS.filter(({ name }) => name.includes(values.only));
  if (targets.length === 0) throw new TypeError(`no target has "${values.only}" in its name: see --list`);
  if (values.help || values.list) {
    console.log(values.help ? HELP.trimEnd() : targets.map(({ name }) => name).join("\n"));
    return undefined;
  }
  const inputsPerTarget = values.count === undefined ? undefined : Number(values.count);
  const defaultMinutes = inputsPerTarget === undefined ? 1 : MAX_MINUTES_WITH_COUNT_OPTION;
  const minutes = Number(values.minutes ?? defaultMinutes);
  const seed = Number(values.seed);
  if (!(minutes > 0)) throw new TypeError("--minutes needs a number above 0");
  if (!Number.isSafeInteger(seed)) throw new TypeError("--seed needs a whole number");
  if (inputsPerTarget !== undefined && !(Number.isSafeInteger(inputsPerTarget) && inputsPerTarget > 0))
    throw new TypeError("--count needs a whole number above 0");
  return { targets, minutes, inputsPerTarget, seed };
}

try {
  const settings = parseFuzzArguments(process.argv.slice(2));
  const findings = settings ? await runFuzzer({ ...settings, log: (line) => console.log(line) }) : [];
  process.exitCode = findings.length > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  console.error(`${error.message}\n\n${HELP.trimEnd()}`);
  process.exitCode = 2;
}
