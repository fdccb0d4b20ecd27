import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { formatGoalTable, parseGoalResults } from "../../bench/src/measure/performance-goals.ts";
import { readPage, root } from "./code-blocks.ts";

it("docs/performance.md has a section for each benchmark, in their order", () => {
  const source = readFileSync(join(root, "bench/src/benchmark-command.ts"), "utf8");
  const names = [...source.matchAll(/^ {2}"?([\w-]+)"?: \(\) => import\(/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(9);
  const headings = [...readPage("docs/performance.md").matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(names);
});

it("docs/performance.md names the peers in the versions that are used", () => {
  const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const page = readPage("docs/performance.md");
  for (const peer of ["basic-ftp", "undici", "fast-uri", "uri-js", "linkify-it", "url-regex-safe"]) {
    const version = new RegExp(`^ +${peer}: (\\S+)$`, "m").exec(catalog)?.[1] ?? "";
    expect(page).toContain(`${peer} ${version}`);
    expect(version).toMatch(/^\d/);
  }
});

it("the goals of the benchmarks are in one table, the missed ones first", () => {
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
