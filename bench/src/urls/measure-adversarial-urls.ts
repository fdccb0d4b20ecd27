import type { ParseMode } from "@anyscheme/core/syntax";
import { benchmarkedSyntaxes } from "./benchmarked-syntaxes.ts";
import { formatTable } from "../measure/format-table.ts";

const MEASURED_TEXT_LENGTH = 10_000_000;
/**
 * The length of the texts among which the benchmark searches the slowest, in characters. Modern mode creates
 * millions of deviation records for long texts, so the benchmark measures it only twice.
 */
const SAMPLE_TEXT_LENGTH = { rfc1738: 1_000_000, modern: 100_000 };
const REPETITIONS_BY_MODE = { rfc1738: 5, modern: 2 };
/** The maximum ratio of the parsing time of a text to that of its first half. */
const MAX_TIME_RATIO = 2.3;

/**
 * The texts that the benchmark repeats after `scheme:`, `scheme://` and `scheme://host/`. Each text could
 * make an inefficient parser backtrack repeatedly.
 */
const REPEATED_TEXTS = [
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
const URL_PREFIXES = ["", "//", "//host.example/"];

/**
 * Returns the slowest texts of 10 MB for each scheme and mode. Each result includes the ratio of the parsing
 * time of the text to that of its first half.
 */
export function measureAdversarialUrls(): string {
  return ["rfc1738" as const, "modern" as const].map(findSlowestTexts).join("\n\n");
}

function findSlowestTexts(mode: ParseMode): string {
  const rows = benchmarkedSyntaxes.flatMap((syntax) =>
    syntax.schemes.map((scheme) => {
      const tries = URL_PREFIXES.flatMap((place) =>
        REPEATED_TEXTS.map((unit) => {
          const text = (length: number): string =>
            `${scheme}:${place}${unit.repeat(Math.ceil(length / unit.length))}`;
          const read = (of: string): number =>
            measureCpuMs(() => syntax.tryParse(of, { mode, maxLength: Infinity }).fault);
          const sample = text(SAMPLE_TEXT_LENGTH[mode]);
          const took = Math.min(read(sample), read(sample), read(sample));
          return { shown: `${place}${unit}…`, text, read, took };
        }),
      );
      const [worst] = tries.toSorted((a, b) => b.took - a.took);
      if (!worst) throw new RangeError("nothing was tried");
      const { read, text, shown } = worst;
      const least = (length: number): number =>
        Math.min(...Array.from({ length: REPETITIONS_BY_MODE[mode] }, () => read(text(length))));
      const [short, long] = [least(MEASURED_TEXT_LENGTH / 2), least(MEASURED_TEXT_LENGTH)];
      const ratio = long / short;
      return [
        scheme,
        shown,
        long.toFixed(0),
        ratio.toFixed(2),
        ratio <= MAX_TIME_RATIO ? "reached" : "MISSED",
      ];
    }),
  );
  return formatTable([[`slowest 10 MB, ${mode}`, "what", "ms", "÷ 5 MB", `goal ${MAX_TIME_RATIO}`], ...rows]);
}

/** Returns the CPU time of a function. Other processes affect the CPU time less than the wall time. */
function measureCpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
