// The long run: `pnpm fuzz -- --minutes 60 [--seed 1738] [--only FTP]`. Exits with 1 when there is a finding.
import { parseArgs } from "node:util";
import { runLong } from "./long-run.ts";

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
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new TypeError("--minutes and --seed take numbers");

const findings = await runLong({ minutes, seed, only: values.only, log: (line) => console.log(line) });
process.exitCode = findings.length > 0 ? 1 : 0;
