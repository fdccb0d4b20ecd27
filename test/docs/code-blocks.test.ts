import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeBlock, parseCodeBlocks, listDocsPagesWithTestedCode, readDocsPage } from "./code-blocks.ts";
import {
  parseConsoleBlock,
  matchesExpectedOutput,
  trimCommandOutput,
  type CommandWithExpectedOutput,
} from "./console-blocks.ts";
import { type ExampleHostServers, startExampleHostServers } from "./sandbox/example-host-servers.ts";
import { DOCUMENTED_COMMANDS_NOT_RUN } from "./commands-not-run.ts";
import { type CommandResult, runShellCommand } from "./sandbox/run-command.ts";
import { createCodeBlockProject, type CodeBlockProject } from "./sandbox/code-block-project.ts";

const testedBlocks = listDocsPagesWithTestedCode().flatMap((page) =>
  parseCodeBlocks(page, readDocsPage(page)),
);
const testedCommands = testedBlocks.flatMap((block) => listShellCommands(block));

/** The code blocks of an invalid page: a program with a type error, and a wrong expected output. */
const INVALID_BLOCKS = parseCodeBlocks(
  "wrong.md",
  "# Wrong\n\n```ts\nconst one: string = 1;\nconsole.log(one);\n```\n\n```text\n2\n```\n",
);

let codeBlockProject: CodeBlockProject;
let exampleHosts: ExampleHostServers;

/** Returns the shell commands of a block, each with its expected output. */
function listShellCommands(block: CodeBlock): { block: CodeBlock; command: string; output: string }[] {
  return parseBlockCommands(block).map(({ command, expectedOutput: output }) => ({ block, command, output }));
}

function parseBlockCommands({ language, text }: CodeBlock): CommandWithExpectedOutput[] {
  if (language === "console") return parseConsoleBlock(text);
  if (language !== "sh") return [];
  const commands = text.trimEnd().split("\n");
  return commands.map((command) => ({ command: command.replace(/ +# .*/, ""), expectedOutput: "" }));
}

function findUntestedCommand(command: string): (typeof DOCUMENTED_COMMANDS_NOT_RUN)[number] | undefined {
  return DOCUMENTED_COMMANDS_NOT_RUN.find(({ commandPattern: line }) => line.test(command));
}

function runInPageFolder(line: string, { page }: CodeBlock): Promise<CommandResult> {
  return runShellCommand(line, codeBlockProject.pageFolder(page), codeBlockProject, exampleHosts);
}

function expectOutputOfPage(shown: string, { output, exitCode }: CommandResult): void {
  if (!matchesExpectedOutput(shown, output)) expect(trimCommandOutput(output)).toBe(trimCommandOutput(shown));
  // A command without expected output must succeed.
  if (shown === "") expect(exitCode).toBe(0);
}

beforeAll(async () => {
  [codeBlockProject, exampleHosts] = await Promise.all([
    createCodeBlockProject([...testedBlocks, ...INVALID_BLOCKS]),
    startExampleHostServers(),
  ]);
});

afterAll(async () => {
  await exampleHosts?.stop();
  if (codeBlockProject) await rm(codeBlockProject.folder, { recursive: true, force: true });
});

describe("the code blocks of the documentation", () => {
  it("the pages have only code blocks in known languages", () => {
    const known = new Set(["ts", "console", "sh", "json", "text"]);
    const odd = testedBlocks.filter(
      ({ language, fileName: file }) => !known.has(language) || (language === "text" && !file),
    );
    expect(odd.map(({ page, line, language }) => `${page}:${line}: ${language}`)).toEqual([]);
  });

  it("the programs on the pages compile", () => {
    expect(codeBlockProject.compilerErrors).toEqual([
      "wrong.md:4: error TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
  });

  it.each(testedBlocks.filter(({ language }) => language === "json"))(
    "the block $page:$line is valid JSON",
    ({ text }) => {
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    },
  );
});

describe.concurrent("a program on a documentation page", () => {
  it.each(testedBlocks.filter(({ language }) => language === "ts"))(
    "the program $page:$line prints the output on the page",
    async (block) => {
      const performed = await runInPageFolder(`exec node ${codeBlockProject.compiledProgram(block)}`, block);
      if (block.fileName?.endsWith(".test.ts"))
        return expect(performed.exitCode === 0 ? "" : performed.output).toBe("");
      expectOutputOfPage(block.expectedOutput ?? "", performed);
    },
  );
});

it.each(INVALID_BLOCKS)("the test of programs detects the wrong output of $page:$line", async (block) => {
  const { output } = await runInPageFolder(`exec node ${codeBlockProject.compiledProgram(block)}`, block);
  expect(block.expectedOutput).toBe("2\n");
  expect(output).toBe("1\n");
  expect(() => expectOutputOfPage(block.expectedOutput ?? "", { output, exitCode: 0 })).toThrow(
    "expected '1' to be '2'",
  );
  expect(() => expectOutputOfPage("", { output: "", exitCode: 1 })).toThrow("expected 1 to be +0");
});

it("the parsers reject an unclosed code block, and a console block without a prompt", () => {
  expect(() => parseCodeBlocks("x.md", "```ts\n1;\n")).toThrow("x.md: a code block is not closed");
  expect(() => parseConsoleBlock("ls\n")).toThrow('begins with "$ "');
});

it.each([
  ["one\ntwo\n", "one  \ntwo\n\n", true],
  ["one\n…\nfour\n", "one\ntwo\nthree\nfour\n", true],
  ["one\n…\nfour\n", "one\nfour\n", true],
  ["one\n…\nfour\n", "one\ntwo\n", false],
  ["a.c\n", "abc\n", false],
  ["", "one\n", false],
])("the expected output %j matches the output %j: %s", (shown, output, expected) => {
  expect(matchesExpectedOutput(shown, output)).toBe(expected);
});

describe("a shell command on a documentation page", () => {
  it.each(testedCommands.filter(({ command }) => !findUntestedCommand(command)))(
    "$block.page:$block.line $command",
    async ({ block, command, output }) => expectOutputOfPage(output, await runInPageFolder(command, block)),
  );

  it.each(testedCommands.filter(({ command }) => findUntestedCommand(command)))(
    "the command that the tests do not run is valid: $block.page:$block.line $command",
    ({ command }) => {
      const exception = findUntestedCommand(command);
      const match = exception?.commandPattern.exec(command);
      expect(match && exception?.findProblem(match)).toBeUndefined();
    },
  );
});
