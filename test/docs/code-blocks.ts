import { readdirSync, readFileSync } from "node:fs";

export const REPOSITORY_FOLDER: string = new URL("../..", import.meta.url).pathname;

/** A block of code on a page of the documentation. */
export interface CodeBlock {
  /** The path of the page, relative to the root of the repository. */
  readonly page: string;
  /** The line number on the page at which the text of the block begins, from 1. */
  readonly line: number;
  readonly language: string;
  /** The file name after the language of the block, as in ` ```ts file=fortune.ts `. */
  readonly fileName: string | undefined;
  readonly text: string;
  /** The expected output of a program: the text of the `text` block directly after it. */
  readonly expectedOutput: string | undefined;
}

/** Returns the paths of the documentation pages whose code blocks are tested. */
export function listDocsPagesWithTestedCode(): string[] {
  const packages = readdirSync(`${REPOSITORY_FOLDER}packages`).map((name) => `packages/${name}/README.md`);
  const docs = readdirSync(`${REPOSITORY_FOLDER}docs`).filter((name) => name.endsWith(".md"));
  return ["README.md", "CONTRIBUTING.md", ...packages, ...docs.map((name) => `docs/${name}`)];
}

export function readDocsPage(page: string): string {
  return readFileSync(REPOSITORY_FOLDER + page, "utf8");
}

const FENCED_CODE_BLOCK = /^```(?<language>\w*)(?: file=(?<file>[\w./-]+))?\n(?<text>(?:.*\n)*?)```$/gm;

/** Returns the code blocks of a page in order, each with its expected output. Throws for an unclosed code block. */
export function parseCodeBlocks(page: string, markdown: string): CodeBlock[] {
  const found = [...markdown.matchAll(FENCED_CODE_BLOCK)];
  const fences = markdown.match(/^ *(?:```|~~~)/gm)?.length ?? 0;
  if (fences !== found.length * 2) throw new Error(`${page}: a code block is not closed by \`\`\``);
  const outputs = new Set(found.filter((match) => isExpectedOutput(markdown, match)));
  return found.flatMap((match, index) => {
    if (outputs.has(match)) return [];
    const { language = "", file, text = "" } = match.groups ?? {};
    const next = found[index + 1];
    const output = next && outputs.has(next) ? next.groups?.["text"] : undefined;
    const line = markdown.slice(0, match.index).split("\n").length + 1;
    return [{ page, line, language, fileName: file, text, expectedOutput: output }];
  });
}

/** Returns true for a `text` block without a file name that directly follows another block. */
function isExpectedOutput(markdown: string, { index, groups }: RegExpExecArray): boolean {
  if (groups?.["language"] !== "text" || groups["file"] !== undefined) return false;
  return markdown.slice(0, index).endsWith("```\n\n");
}
