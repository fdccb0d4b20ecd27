import { formatTable } from "./format-table.ts";

/** The verdict on one goal of a benchmark. */
export interface PerformanceGoalResult {
  readonly benchmark: string;
  readonly goal: string;
  readonly verdict: "reached" | "MISSED";
}

/** Returns the goals and verdicts in the output of a benchmark. */
export function parseGoalResults(benchmark: string, output: string): PerformanceGoalResult[] {
  return output.split("\n").flatMap((line) => {
    const verdict = /\b(?:reached|MISSED)\b/.exec(line)?.[0] as PerformanceGoalResult["verdict"] | undefined;
    if (!verdict) return [];
    const goal = line
      .trim()
      .replace(/ +(?:reached|MISSED)\b/, "")
      .replace(/ {2,}/g, " | ");
    return [{ benchmark, goal, verdict }];
  });
}

/** Returns a table of all goals with the missed goals first, and a line with the number of missed goals. */
export function formatGoalTable(results: readonly PerformanceGoalResult[]): string {
  const sorted = results.toSorted((a, b) => Number(b.verdict === "MISSED") - Number(a.verdict === "MISSED"));
  const missed = results.filter(({ verdict }) => verdict === "MISSED").length;
  const rows = sorted.map(({ benchmark, verdict, goal }) => [`${benchmark}: ${goal}`, verdict]);
  return `${formatTable([["benchmark", "verdict"], ...rows])}\n${results.length} goals, ${missed} missed`;
}

/** Runs a benchmark, which prints to the terminal, and returns a copy of its output. */
export async function captureStdoutDuring(work: () => Promise<void>): Promise<string> {
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
