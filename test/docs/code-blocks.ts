import { readdirSync, readFileSync } from "node:fs";

export const root: string = new URL("../../", import.meta.url).pathname;

/** A block of code on a page. */
export interface Block {
  /** The path of the page, relative to the root of the repository. */
  readonly page: string;
  /** The line of the page where the text of the block begins, from 1. */
  readonly line: number;
  readonly language: string;
  /** The file name in the fence: ` ```ts file=fortune.ts `. */
  readonly file: string | undefined;
  readonly text: string;
  /** The expected output: the `text` block directly after it. */
  readonly output: string | undefined;
}

/** Returns every page whose blocks are tested. */
export function pages(): string[] {
  const packages = readdirSync(`${root}packages`).map((name) => `packages/${name}/README.md`);
  const docs = readdirSync(`${root}docs`).filter((name) => name.endsWith(".md"));
  return ["README.md", "CONTRIBUTING.md", ...packages, ...docs.map((name) => `docs/${name}`)];
}

export function readPage(page: string): string {
  return readFileSync(root + page, "utf8");
}

const FENCED = /^```(?<language>\w*)(?: file=(?<file>[\w./-]+))?\n(?<text>(?:.*\n)*?)```$/gm;

/** Returns the blocks of a page, in order. An output belongs to the block before it. Throws for an invalid fence. */
export function blocksOf(page: string, markdown: string): Block[] {
  const found = [...markdown.matchAll(FENCED)];
  const fences = markdown.match(/^ *(?:```|~~~)/gm)?.length ?? 0;
  if (fences !== found.length * 2) throw new Error(`${page}: a fence that is no pair of \`\`\` lines`);
  const outputs = new Set(found.filter((match) => isOutput(markdown, match)));
  return found.flatMap((match, index) => {
    if (outputs.has(match)) return [];
    const { language = "", file, text = "" } = match.groups ?? {};
    const next = found[index + 1];
    const output = next && outputs.has(next) ? next.groups?.["text"] : undefined;
    const line = markdown.slice(0, match.index).split("\n").length + 1;
    return [{ page, line, language, file, text, output }];
  });
}

/** True for a `text` block without a name, directly after the `ts` block that prints it. */
function isOutput(markdown: string, { index, groups }: RegExpExecArray): boolean {
  if (groups?.["language"] !== "text" || groups["file"] !== undefined) return false;
  return markdown.slice(0, index).endsWith("```\n\n");
}
