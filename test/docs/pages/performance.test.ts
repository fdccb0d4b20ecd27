import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { formatGoalTable, parseGoalResults } from "../../../bench/src/measure/goal-results.ts";
import { readDocsPage, REPOSITORY_FOLDER } from "../code-blocks.ts";

it("docs/performance.md has a section for each benchmark, in the order of the benchmarks", () => {
  const source = readFileSync(join(REPOSITORY_FOLDER, "bench/src/run-benchmarks.ts"), "utf8");
  const names = [...source.matchAll(/^ {2}"?([\w-]+)"?: \(\) =>\s+import\(/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(9);
  const headings = [...readDocsPage("docs/performance.md").matchAll(/^## (.*)$/gm)].map(
    ([, heading]) => heading,
  );
  expect(headings).toEqual(names);
});

it("docs/performance.md names the versions of the compared packages", () => {
  const catalog = readFileSync(join(REPOSITORY_FOLDER, "pnpm-workspace.yaml"), "utf8");
  const page = readDocsPage("docs/performance.md");
  for (const peer of ["basic-ftp", "undici", "fast-uri", "uri-js", "linkify-it", "url-regex-safe"]) {
    const version = new RegExp(`^ +${peer}: (\\S+)$`, "m").exec(catalog)?.[1] ?? "";
    expect(page).toContain(`${peer} ${version}`);
    expect(version).toMatch(/^\d/);
  }
});

it("the table of benchmark goals shows the missed goals first", () => {
  const output = [
    "             ms  ÷ node          goal",
    "--version   126   1.22×  1.25 reached",
    "page ours ÷ page curl: 0.90, goal 1 MISSED",
    "save: ours ÷ curl 1.20 × (goal 1.10 reached)",
  ].join("\n");
  expect(formatGoalTable(parseGoalResults("ftp", output)).split("\n")).toEqual([
    "benchmark                                  verdict",
    "ftp: page ours ÷ page curl: 0.90, goal 1    MISSED",
    "ftp: --version | 126 | 1.22× | 1.25        reached",
    "ftp: save: ours ÷ curl 1.20 × (goal 1.10)  reached",
    "3 goals, 1 missed",
  ]);
});
