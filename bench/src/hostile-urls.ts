import { table } from "./rounds.ts";
import { syntaxes } from "./syntaxes.ts";

const LENGTH = 10_000_000;
/** The slowest texts are looked for at this length. */
const SAMPLE = 1_000_000;
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
  ",a",
];
const PLACES = ["", "//", "//host.example/"];

/** The slowest texts of 10 MB for each scheme, and whether half of it takes half the time. */
export function hostileUrls(): string {
  const rows = syntaxes.flatMap((syntax) =>
    syntax.schemes.map((scheme) => {
      const tries = PLACES.flatMap((place) =>
        UNITS.map((unit) => {
          const text = (length: number): string =>
            `${scheme}:${place}${unit.repeat(Math.ceil(length / unit.length))}`;
          const read = (of: string): number =>
            milliseconds(() => syntax.tryParse(of, { mode: "strict", maxLength: Infinity }));
          return { shown: `${place}${unit}…`, text, read, took: read(text(SAMPLE)) };
        }),
      );
      const [slowest] = tries.toSorted((a, b) => b.took - a.took);
      if (!slowest) throw new RangeError("nothing was tried");
      const { read, text, shown } = slowest;
      const [short, long] = [least(() => read(text(LENGTH / 2))), least(() => read(text(LENGTH)))];
      const ratio = long / short;
      return [scheme, shown, long.toFixed(0), ratio.toFixed(2), ratio <= MOST ? "reached" : "MISSED"];
    }),
  );
  return table([["slowest 10 MB", "what", "ms", "÷ 5 MB", `goal ${MOST}`], ...rows]);
}

function milliseconds(work: () => unknown): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

function least(measure: () => number): number {
  return Math.min(...Array.from({ length: 5 }, measure));
}
