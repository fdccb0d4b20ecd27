import { expect, it } from "vitest";
import { writeLinesToStderr, writeToOutputStream } from "../../src/terminal/cli-io.ts";
import { createProgressLineDisplay, formatProgress } from "../../src/terminal/progress.ts";
import { escapeControls } from "@anyscheme/core/text";
import { TestCliOutputStream } from "../command-in-process.ts";

it.each<[received: number, total: number | undefined, seconds: number, text: string]>([
  [0, 1000, 0, "  0 %  0 B of 1000 B  0 B/s"],
  [512, 1024, 1, " 50 %  512 B of 1.0 KiB  512 B/s  0:01 left"],
  [1_048_576, 104_857_600, 1, "  1 %  1.0 MiB of 100.0 MiB  1.0 MiB/s  1:39 left"],
  [100, 100, 2, "100 %  100 B of 100 B  50 B/s  0:00 left"],
  [200, 100, 2, "100 %  200 B of 100 B  100 B/s  0:00 left"],
  [2048, undefined, 2, "2.0 KiB  1.0 KiB/s"],
  [0, 0, 1, "0 B  0 B/s"],
])("formatProgress formats %i of %s bytes after %i s", (received, total, seconds, text) => {
  expect(formatProgress({ received, total }, seconds)).toBe(text);
});

it("the progress line is redrawn at most ten times a second, and erased at the end", () => {
  let now = 0;
  const output = new TestCliOutputStream(true);
  const line = createProgressLineDisplay(
    { stdout: new TestCliOutputStream(true), stderr: output },
    () => now,
  );
  for (; now < 1000; now += 10) line.show({ received: now, total: undefined });
  line.clear();
  line.clear();
  const drawn = output.text.split("\r\u001b[K");
  expect(drawn).toHaveLength(12);
  expect(drawn.at(-1)).toBe("");
});

it("the progress line is erased before a message, but not before each part of a body for a pipe", async () => {
  let now = 0;
  const stderr = new TestCliOutputStream(true);
  const outputs = { stdout: new TestCliOutputStream(false), stderr };
  const line = createProgressLineDisplay(outputs, () => now);
  line.show({ received: 1, total: undefined });
  await writeToOutputStream(outputs.stdout, "a part");
  writeLinesToStderr(outputs, ["a message"]);
  now = 100;
  line.show({ received: 1, total: undefined });
  expect(stderr.text).toBe("\r\u001b[K1 B  0 B/s\r\u001b[Ka message\n\r\u001b[K1 B  10 B/s");
});

it.each([
  ["plain é漢😀", "plain é漢😀"],
  ["\u001b]0;title\u0007\u001b[2J", "\\x1b]0;title\\x07\\x1b[2J"],
  ["a\r\nb\u0000\u007f\u009b", "a\\x0d\\x0ab\\x00\\x7f\\x9b"],
  ["\u202egpj.exe\u2066", "\\u{202e}gpj.exe\\u{2066}"],
])("escapeControls escapes %j for a terminal", (text, shown) => expect(escapeControls(text)).toBe(shown));
