import type { Mode } from "@anyscheme/core/syntax";
import { table } from "../measure/rounds.ts";
import { syntaxes } from "./syntaxes.ts";

const LENGTH = 10_000_000;
/** The slowest texts are looked for at this length; tolerant mode makes millions of records of long ones, and is measured twice. */
const SAMPLE = { strict: 1_000_000, tolerant: 100_000 };
const TIMES = { strict: 5, tolerant: 2 };
/** Half the length has to take half the time, or so. */
const MOST = 2.3;

/** What is repeated behind `scheme:`, `scheme://` and `scheme://host/`; each could make a careless reader start again and again. */
const UNITS = [
  "a",
  "a.",
  "a-",
  "-",
  "1.",
  "%41",
  "%",
  "@",
  ":",
  "a:a@",
  "/",
  "//",
  "?",
  ";",
  ";type=",
  "=",
  "%09",
  "#",
  "~",
  "é",
  "é~",
  ",a",
];
const PLACES = ["", "//", "//host.example/"];

/** For each scheme, in each mode, the slowest texts of 10 MB, and whether half of it takes half the time. */
export function hostileUrls(): string {
  return ["strict" as const, "tolerant" as const].map(slowest).join("\n\n");
}

function slowest(mode: Mode): string {
  const rows = syntaxes.flatMap((syntax) =>
    syntax.schemes.map((scheme) => {
      const tries = PLACES.flatMap((place) =>
        UNITS.map((unit) => {
          const text = (length: number): string =>
            `${scheme}:${place}${unit.repeat(Math.ceil(length / unit.length))}`;
          const read = (of: string): number =>
            milliseconds(() => syntax.tryParse(of, { mode, maxLength: Infinity }).fault);
          const sample = text(SAMPLE[mode]);
          const took = Math.min(read(sample), read(sample), read(sample));
          return { shown: `${place}${unit}…`, text, read, took };
        }),
      );
      const [worst] = tries.toSorted((a, b) => b.took - a.took);
      if (!worst) throw new RangeError("nothing was tried");
      const { read, text, shown } = worst;
      const least = (length: number): number =>
        Math.min(...Array.from({ length: TIMES[mode] }, () => read(text(length))));
      const [short, long] = [least(LENGTH / 2), least(LENGTH)];
      const ratio = long / short;
      return [scheme, shown, long.toFixed(0), ratio.toFixed(2), ratio <= MOST ? "reached" : "MISSED"];
    }),
  );
  return table([[`slowest 10 MB, ${mode}`, "what", "ms", "÷ 5 MB", `goal ${MOST}`], ...rows]);
}

/** Of the processor, so that what else runs on the machine does not count. */
function milliseconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
