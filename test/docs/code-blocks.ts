import { readdirSync, readFileSync } from "node:fs";

export const root: string = new URL("../../", import.meta.url).pathname;

/** A block of code of a page. */
export interface Block {
  /** Below the root of the repository. */
  readonly page: string;
  /** The line of the page where its text begins, from 1. */
  readonly line: number;
  readonly language: string;
  /** The name that the page gives it: ` ```ts file=fortune.ts `. */
  readonly file: string | undefined;
  readonly text: string;
  /** The expected output: the `text` block directly after it. */
  readonly output: string | undefined;
}

/** Every page whose blocks have to be true. */
export function pages(): string[] {
  const packages = readdirSync(`${root}packages`).map((name) => `packages/${name}/README.md`);
  const docs = readdirSync(`${root}docs`).filter((name) => name.endsWith(".md"));
  return ["README.md", "CONTRIBUTING.md", ...packages, ...docs.map((name) => `docs/${name}`)];
}

export function readPage(page: string): string {
  return readFileSync(root + page, "utf8");
}

const FENCED = /^```(?<language>\w*)(?: file=(?<file>[\w./-]+))?\n(?<text>(?:.*\n)*?)```$/gm;

/** The blocks of a page, in order; an output belongs to the block before it. Throws for a fence that makes no sense. */
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

/** A `text` block without a name, with nothing between it and the `ts` block that writes it. */
function isOutput(markdown: string, { index, groups }: RegExpExecArray): boolean {
  if (groups?.["language"] !== "text" || groups["file"] !== undefined) return false;
  return markdown.slice(0, index).endsWith("```\n\n");
}
