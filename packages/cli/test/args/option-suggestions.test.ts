import { expect, it } from "vitest";
import { findNearestName } from "../../src/args/option-suggestions.ts";
import { runCommandInProcess } from "../command-in-process.ts";

it.each([
  [["get", "--retyr", "2", "http://h/"], "unknown option '--retyr' (did you mean --retry?)"],
  [["get", "-L", "http://h/"], "unknown option '-L' (the command follows redirects;"],
  [["get", "-sk", "http://h/"], "unknown option '-k' (no option disables the check of certificates;"],
  [["get", "--compressed", "http://h/"], "(the command requests and decodes compressed bodies"],
  [["get", "--quite-another", "http://h/"], "unknown option '--quite-another'\nsee: anyscheme --help get\n"],
  [["--quite-another"], "unknown option '--quite-another'\nsee: anyscheme --help\n"],
  [["get", "-q", "http://h/"], "unknown option '-q' (use -s)"],
  [["get", "-o"], "--output needs a value: --output FILE\nsee: anyscheme --help get\n"],
  [
    ["get", "-o", "-v"],
    "-o needs a value; write a value that begins with a dash as '--output=-XYZ' or '-o-XYZ'\nsee: anyscheme --help get\n",
  ],
  [
    ["get", "--max-redirs", "-1"],
    "--max-redirs needs a value; write a value that begins with a dash as '--max-redirs=-XYZ'\nsee: anyscheme --help get\n",
  ],
  [["get", "-o", "", "http://h/"], "--output needs the path of a file\nsee: anyscheme --help get\n"],
  [
    ["get", "-m", "0", "http://h/"],
    "--max-time needs a number of seconds above 0 and up to 2147483, or none\nsee: anyscheme --help get",
  ],
  [["get", "-"], "- is no URL; --input-file - reads URLs from standard input\nsee: anyscheme --help get\n"],
  [["ls", "-"], "- is no URL\nsee: anyscheme --help ls\n"],
  [["GET", "http://h/"], "unknown command GET; did you mean get?"],
  [["fetch", "http://h/"], "unknown command fetch; did you mean get?"],
  [["exctract"], "unknown command exctract; did you mean extract?"],
  [["constructor"], "unknown command constructor\n"],
  [["frobnicate"], "unknown command frobnicate\n"],
])("the arguments %j are a usage error with the expected message", async (args, message) => {
  const { exitCode, stderr } = await runCommandInProcess(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});

it.each([
  ["htpp://h.example/", "did you mean http?"],
  ["gophr://h.example/", "did you mean gopher?"],
  ["x-unlike://h.example/", "registered: ftp"],
])("get %s advises %s", async (url, advice) => {
  const { exitCode, stderr } = await runCommandInProcess(["get", url]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(advice);
});

it.each([
  ["retyr", "retry"],
  ["silnet", "silent"],
  ["outptu", "output"],
  ["ls", "ls"],
  ["xs", undefined],
  ["x".repeat(100_000), undefined],
])("findNearestName returns the name nearest to a misspelled word, or undefined: row %#", (word, name) => {
  expect(findNearestName(word, ["retry", "silent", "output", "ls"])).toBe(name);
});
