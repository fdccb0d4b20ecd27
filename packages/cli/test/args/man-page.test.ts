import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { locateShellOrGroff } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { expect, it } from "vitest";
import { COMMAND_HELP_ENTRIES } from "../../src/args/command-definitions.ts";
import { OPTION_DEFINITIONS } from "../../src/args/options.ts";
import { EXIT_CODES } from "../../src/errors/exit-codes.ts";
import { runCommandInProcess } from "../command-in-process.ts";

const execFileAsync = promisify(execFile);
const manPageFile = new URL("../../man/anyscheme.1", import.meta.url).pathname;

it("the file man/anyscheme.1 equals the output of anyscheme --help man", async () => {
  expect(readFileSync(manPageFile, "utf8")).toBe((await runCommandInProcess(["help", "man"])).stdout);
});

it("the manual page has every command, option and exit code, and no roff request by accident", async () => {
  const { stdout } = await runCommandInProcess(["--help", "man"]);
  for (const { name } of COMMAND_HELP_ENTRIES) expect(stdout).toContain(`.B anyscheme ${name}`);
  for (const { name } of OPTION_DEFINITIONS) expect(stdout).toContain(name.replaceAll("-", "\\-"));
  for (const { code, meaning } of Object.values(EXIT_CODES))
    expect(stdout).toContain(`.B ${code}\n${meaning.replaceAll("-", "\\-")}\n`);
  const requests = new Set([...stdout.matchAll(/^\.(\w+)/gm)].map(([, request]) => request));
  expect([...requests].toSorted((one, other) => (String(one) < String(other) ? -1 : 1))).toEqual([
    "B",
    "IP",
    "PP",
    "SH",
    "TH",
    "TP",
    "br",
  ]);
});

describeIfServerAvailable("groff", "the manual page in groff", () => {
  const warnings = async (page: string): Promise<string> => {
    const groff = locateShellOrGroff("groff");
    if (!groff) throw new Error("groff is missing");
    const running = execFileAsync(groff.path, ["-man", "-Tutf8", "-ww", "-z"], {
      env: { ...process.env, ...groff.environment },
    });
    running.child.stdin?.end(page);
    return (await running).stderr;
  };

  it("groff formats the manual page without a warning, and warns of an unknown request", async () => {
    const page = readFileSync(manPageFile, "utf8");
    expect(await warnings(page)).toBe("");
    expect(await warnings(`${page}.NOSUCH\n`)).toContain("NOSUCH");
  });
});
