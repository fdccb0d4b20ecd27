import { table } from "./rounds.ts";

/** What was said to have reached its goal, or to have missed it. */
export interface Verdict {
  readonly benchmark: string;
  readonly what: string;
  readonly verdict: "reached" | "MISSED";
}

/** The lines of an output that end in a verdict, or hold one in a table. */
export function verdictsIn(benchmark: string, output: string): Verdict[] {
  return output.split("\n").flatMap((line) => {
    const verdict = /\b(?:reached|MISSED)\b/.exec(line)?.[0] as Verdict["verdict"] | undefined;
    return verdict
      ? [
          {
            benchmark,
            what: line
              .trim()
              .replace(/ +(?:reached|MISSED)\b/, "")
              .replace(/ {2,}/g, " | "),
            verdict,
          },
        ]
      : [];
  });
}

/** All verdicts in one table, those that missed first, and how many they are. */
export function summary(verdicts: readonly Verdict[]): string {
  const sorted = verdicts.toSorted((a, b) => Number(b.verdict === "MISSED") - Number(a.verdict === "MISSED"));
  const missed = verdicts.filter(({ verdict }) => verdict === "MISSED").length;
  const rows = sorted.map(({ benchmark, verdict, what }) => [`${benchmark}: ${what}`, verdict]);
  return `${table([["benchmark", "verdict"], ...rows])}\n${verdicts.length} goals, ${missed} missed`;
}

/** Runs a benchmark and gives what it has written, which is shown as it comes. */
export async function overheard(work: () => Promise<void>): Promise<string> {
  const { stdout } = process;
  const parts: string[] = [];
  const write = stdout.write.bind(stdout);
  stdout.write = ((...args: Parameters<typeof write>) => {
    parts.push(String(args[0]));
    return write(...args);
  }) as typeof write;
  try {
    await work();
  } finally {
    stdout.write = write;
  }
  return parts.join("");
}
