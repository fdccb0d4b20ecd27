import { expect, it } from "vitest";
import { writeLines, writeLinesToStderr } from "../../src/terminal/cli-io.ts";
import { createProgressBoard } from "../../src/terminal/progress.ts";
import { TestCliOutputStream } from "../command-in-process.ts";

it("the progress board draws a line for each transfer at most ten times a second, and erases all lines at the end", () => {
  let clock = 0;
  const output = new TestCliOutputStream(true);
  const board = createProgressBoard({ stdout: new TestCliOutputStream(true), stderr: output }, () => clock);
  const one = board.addLine("one.bin");
  const other = board.addLine("a name \u001b[31m that is far too long for the line");
  one.show({ received: 1, total: 2 });
  other.show({ received: 1, total: undefined });
  const first = output.text;
  expect(first).toMatch(/^one\.bin +50 % .*\n$/);
  clock = 150;
  other.show({ received: 2, total: undefined });
  const second = output.text.slice(first.length);
  expect(second).toContain("\r\u001b[1A\u001b[J");
  expect(second).toMatch(/a name \\x1b\[31m that is…/);
  expect(second.split("\n")).toHaveLength(3);
  const before = output.text.length;
  output.eraseProgress?.();
  expect(output.text.slice(before)).toBe("\r\u001b[2A\u001b[J");
  clock = 300;
  one.show({ received: 2, total: 2 });
  one.clear();
  other.clear();
  expect(output.text).toMatch(/\u001b\[2A\u001b\[J$/);
  for (const line of output.text.split("\n")) expect(line.length).toBeLessThan(110);
});

const FULL_PROGRESS = { received: 1, total: 2 };

it.each([
  ["standard error", writeLinesToStderr],
  ["standard output", ({ stdout }: TestOutputs, lines: readonly string[]) => writeLines(stdout, lines)],
])("the progress board is erased before each write to %s, and drawn again 100 ms later", async (_, write) => {
  let clock = 0;
  const outputs = createTestOutputs();
  const line = createProgressBoard(outputs, () => clock).addLine("one");
  line.show(FULL_PROGRESS);
  await write(outputs, ["a message"]);
  const { text } = outputs.stderr;
  expect(text).toMatch(/^one .*\n\r\u001b\[1A\u001b\[J(?:a message\n)?$/);
  clock = 99;
  line.show(FULL_PROGRESS);
  expect(outputs.stderr.text).toBe(text);
  clock = 100;
  line.show(FULL_PROGRESS);
  expect(outputs.stderr.text.slice(text.length)).toMatch(/^one .*\n$/);
});

it("the progress board erases the line of a finished transfer while other transfers continue", () => {
  const outputs = createTestOutputs();
  const board = createProgressBoard(outputs, () => 0);
  const one = board.addLine("one");
  const other = board.addLine("other");
  one.show(FULL_PROGRESS);
  other.show(FULL_PROGRESS);
  one.clear();
  expect(outputs.stderr.text).toMatch(/\r\u001b\[1A\u001b\[J$/);
});

it("the progress board counts wide characters as two columns, and never wraps a line", () => {
  const outputs = createTestOutputs({ columns: 40 });
  createProgressBoard(outputs, () => 0)
    .addLine("日本語".repeat(10))
    .show({ received: 1, total: undefined });
  expect(outputs.stderr.text).toBe("日本語日本語日本語日本…   1 B  0 B/s\n");
  const narrow = createTestOutputs({ columns: 10 });
  createProgressBoard(narrow, () => 0)
    .addLine("日本語日本語")
    .show({ received: 1, total: undefined });
  expect(narrow.stderr.text).toBe("日本語日\n");
});

it("the progress board draws fewer lines than the terminal has", () => {
  let clock = 0;
  const outputs = createTestOutputs({ rows: 4 });
  const board = createProgressBoard(outputs, () => clock);
  const lines = ["a", "b", "c", "d", "e"].map((name) => board.addLine(name));
  for (const line of lines) line.show(FULL_PROGRESS);
  const before = outputs.stderr.text.length;
  clock = 100;
  lines[4]?.show(FULL_PROGRESS);
  expect(outputs.stderr.text.slice(before).match(/(?<=^|J)[a-e](?= )/gm)).toEqual(["a", "b", "c"]);
});

interface TestOutputs {
  readonly stdout: TestCliOutputStream;
  readonly stderr: TestCliOutputStream;
}

function createTestOutputs(size: { columns?: number; rows?: number } = {}): TestOutputs {
  return {
    stdout: new TestCliOutputStream(true),
    stderr: Object.assign(new TestCliOutputStream(true), size),
  };
}
