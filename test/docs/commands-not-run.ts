import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./code-blocks.ts";

/** Shell lines that the tests do not run, each with its reason and the replacing check. */
export interface NotRun {
  readonly line: RegExp;
  readonly reason: string;
  /** Returns the problem of the line, or `undefined`. */
  fault(match: RegExpExecArray): string | undefined;
}

const { scripts, packageManager } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  scripts: Readonly<Record<string, string>>;
  packageManager: string;
};

const ofPnpm = new Set(["exec", "install", "vitest"]);

export const notRun: readonly NotRun[] = [
  {
    line: /^(?:npx --yes (?<pnpm>pnpm@[\d.]+)|pnpm)(?: (?<script>[\w:.-]+))/,
    reason: "runs the tests, or minutes of work; the script has to be there",
    fault({ groups }) {
      const { pnpm, script = "" } = groups ?? {};
      if (pnpm !== undefined && !packageManager.startsWith(`${pnpm}+`))
        return `${packageManager} is used here`;
      return ofPnpm.has(script) || Object.hasOwn(scripts, script)
        ? undefined
        : `there is no script ${script}`;
    },
  },
  {
    line: /^npm install (?:-g )?(?<names>[\w@/ -]+)$/,
    reason: "asks a registry; the packages have to be there",
    fault({ groups }) {
      const { names = "" } = groups ?? {};
      const ours = new Set(
        ["cli", "core", "gateway", "scheme-ftp", "scheme-gopher", "scheme-http", "scheme-others"].map(
          (folder) =>
            (JSON.parse(readFileSync(`${root}packages/${folder}/package.json`, "utf8")) as { name: string })
              .name,
        ),
      );
      const others = new Set(["tsyringe", "@abraham/reflection"]);
      const unknown = names.split(" ").filter((name) => !ours.has(name) && !others.has(name));
      return unknown.length > 0 ? `no package ${unknown.join(", ")}` : undefined;
    },
  },
  {
    line: /^node (?<path>(?:test|scripts)\/\S+)$/,
    reason: "writes into this checkout; the file has to be there",
    fault: ({ groups }) =>
      existsSync(join(root, groups?.["path"] ?? "")) ? undefined : "there is no such file",
  },
  {
    line: /^anyscheme gateway$/,
    reason: "listens until it is interrupted; packages/cli/test/commands/gateway.test.ts runs it",
    fault: () => undefined,
  },
];
