import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_FOLDER } from "./code-blocks.ts";

/** A kind of shell command on the pages that the tests check instead of running it, with the reason. */
export interface DocumentedCommandNotRun {
  readonly commandPattern: RegExp;
  readonly reason: string;
  /** Returns the problem of the command, or `undefined` when the command is valid. */
  findProblem(match: RegExpExecArray): string | undefined;
}

const { scripts, packageManager } = JSON.parse(readFileSync(`${REPOSITORY_FOLDER}package.json`, "utf8")) as {
  scripts: Readonly<Record<string, string>>;
  packageManager: string;
};

const PNPM_COMMANDS = new Set(["exec", "install", "vitest"]);

export const DOCUMENTED_COMMANDS_NOT_RUN: readonly DocumentedCommandNotRun[] = [
  {
    commandPattern: /^(?:npx --yes (?<pnpm>pnpm@[\d.]+)|pnpm)(?: (?<script>[\w:.-]+))/,
    reason: "the command runs for minutes; the test checks that the script exists",
    findProblem({ groups }) {
      const { pnpm, script = "" } = groups ?? {};
      if (pnpm !== undefined && !packageManager.startsWith(`${pnpm}+`))
        return `${packageManager} is used here`;
      return PNPM_COMMANDS.has(script) || Object.hasOwn(scripts, script)
        ? undefined
        : `package.json has no script ${script}`;
    },
  },
  {
    commandPattern: /^npm install (?:-g )?(?<names>[\w@/. -]+)$/,
    reason: "the command contacts a registry; the test checks that the packages exist",
    findProblem({ groups }) {
      const { names = "" } = groups ?? {};
      const ours = new Set(
        [
          "cli",
          "core",
          "gateway",
          "scheme-ftp",
          "scheme-gopher",
          "scheme-http",
          "scheme-others",
          "undici",
        ].map(
          (folder) =>
            (
              JSON.parse(readFileSync(`${REPOSITORY_FOLDER}packages/${folder}/package.json`, "utf8")) as {
                name: string;
              }
            ).name,
        ),
      );
      const others = new Set(["tsyringe", "@abraham/reflection", "undici@8.12.4"]);
      const unknown = names.split(" ").filter((name) => !ours.has(name) && !others.has(name));
      return unknown.length > 0 ? `no package ${unknown.join(", ")}` : undefined;
    },
  },
  {
    commandPattern: /^node (?<path>(?:test|scripts)\/\S+)$/,
    reason: "the command writes into this checkout; the test checks that the file exists",
    findProblem: ({ groups }) =>
      existsSync(join(REPOSITORY_FOLDER, groups?.["path"] ?? "")) ? undefined : "the file does not exist",
  },
  {
    commandPattern: /^anyscheme gateway$/,
    reason:
      "the command listens until it is interrupted; packages/cli/test/commands/gateway-command.test.ts runs it",
    findProblem: () => undefined,
  },
];
