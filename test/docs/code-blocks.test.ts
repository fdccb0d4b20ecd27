import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Block, blocksOf, pages, readPage } from "./code-blocks.ts";
import { commandsOf, matches, seen, type Shown } from "./console-blocks.ts";
import { type Hosts, startHosts } from "./sandbox/hosts.ts";
import { notRun } from "./commands-not-run.ts";
import { type OperationResult, perform } from "./sandbox/run-command.ts";
import { layOut, type Project } from "./sandbox/project.ts";

const all = pages().flatMap((page) => blocksOf(page, readPage(page)));
const lines = all.flatMap((block) => shellLines(block));

/** A page with a type error in its program and a wrong expected output. */
const wrong = blocksOf(
  "wrong.md",
  "# Wrong\n\n```ts\nconst one: string = 1;\nconsole.log(one);\n```\n\n```text\n2\n```\n",
);

let project: Project;
let hosts: Hosts;

/** Returns the shell lines of a block with their expected output. */
function shellLines(block: Block): { block: Block; command: string; output: string }[] {
  return shownIn(block).map(({ command, output }) => ({ block, command, output }));
}

function shownIn({ language, text }: Block): Shown[] {
  if (language === "console") return commandsOf(text);
  if (language !== "sh") return [];
  const commands = text.trimEnd().split("\n");
  return commands.map((command) => ({ command: command.replace(/ +# .*/, ""), output: "" }));
}

function exceptionFor(command: string): (typeof notRun)[number] | undefined {
  return notRun.find(({ line }) => line.test(command));
}

function run(line: string, { page }: Block): Promise<OperationResult> {
  return perform(line, project.folderOf(page), project, hosts);
}

function expectShown(shown: string, { output, exit }: OperationResult): void {
  if (!matches(shown, output)) expect(seen(output)).toBe(seen(shown));
  // An error must be visible on the page.
  if (shown === "") expect(exit).toBe(0);
}

beforeAll(async () => {
  [project, hosts] = await Promise.all([layOut([...all, ...wrong]), startHosts()]);
});

afterAll(async () => {
  await hosts?.stop();
  if (project) await rm(project.folder, { recursive: true, force: true });
});

describe("the pages", () => {
  it("have blocks of known languages only", () => {
    const known = new Set(["ts", "console", "sh", "json", "text"]);
    const odd = all.filter(({ language, file }) => !known.has(language) || (language === "text" && !file));
    expect(odd.map(({ page, line, language }) => `${page}:${line}: ${language}`)).toEqual([]);
  });

  it("have programs that compile", () => {
    expect(project.complaints).toEqual([
      "wrong.md:4: error TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
  });

  it.each(all.filter(({ language }) => language === "json"))("$page:$line is JSON", ({ text }) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});

describe.concurrent("a program", () => {
  it.each(all.filter(({ language }) => language === "ts"))(
    "$page:$line does what is shown",
    async (block) => {
      const performed = await run(`exec node ${project.programOf(block)}`, block);
      if (block.file?.endsWith(".test.ts"))
        return expect(performed.exit === 0 ? "" : performed.output).toBe("");
      expectShown(block.output ?? "", performed);
    },
  );
});

it.each(wrong)("$page:$line is seen to be wrong", async (block) => {
  const { output } = await run(`exec node ${project.programOf(block)}`, block);
  expect(block.output).toBe("2\n");
  expect(output).toBe("1\n");
  expect(() => expectShown(block.output ?? "", { output, exit: 0 })).toThrow("expected '1' to be '2'");
  expect(() => expectShown("", { output: "", exit: 1 })).toThrow("expected 1 to be +0");
});

it("an unclosed fence is an error", () => {
  expect(() => blocksOf("x.md", "```ts\n1;\n")).toThrow("x.md: a fence that is no pair");
  expect(() => commandsOf("ls\n")).toThrow('begins with "$ "');
});

it.each([
  ["one\ntwo\n", "one  \ntwo\n\n", true],
  ["one\n…\nfour\n", "one\ntwo\nthree\nfour\n", true],
  ["one\n…\nfour\n", "one\nfour\n", true],
  ["one\n…\nfour\n", "one\ntwo\n", false],
  ["a.c\n", "abc\n", false],
  ["", "one\n", false],
])("%j shows %j: %s", (shown, output, expected) => {
  expect(matches(shown, output)).toBe(expected);
});

describe("a command", () => {
  it.each(lines.filter(({ command }) => !exceptionFor(command)))(
    "$block.page:$block.line $command",
    async ({ block, command, output }) => expectShown(output, await run(command, block)),
  );

  it.each(lines.filter(({ command }) => exceptionFor(command)))(
    "that is not run could be: $block.page:$block.line $command",
    ({ command }) => {
      const exception = exceptionFor(command);
      const match = exception?.line.exec(command);
      expect(match && exception?.fault(match)).toBeUndefined();
    },
  );
});
