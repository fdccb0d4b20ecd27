import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import type { ExampleHostServers } from "./example-host-servers.ts";
import type { CodeBlockProject } from "./code-block-project.ts";

/** The output of a shell command on stdout and stderr in order, and its exit code. */
export interface CommandResult {
  readonly output: string;
  readonly exitCode: number;
}

/** Returns the environment of a shell command, in which the test hosts replace the `.example` hosts. */
export function createShellEnvironmentVariables(
  { folder }: CodeBlockProject,
  { ports }: ExampleHostServers,
): NodeJS.ProcessEnv {
  return {
    HOME: folder,
    LANG: "C.UTF-8",
    TZ: "UTC",
    NODE_OPTIONS: `--import ${new URL("redirect-hosts.js", import.meta.url).href}`,
    PATH: [join(folder, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    STAGE_PORTS: JSON.stringify(ports),
  };
}

/** Runs a shell command in a folder, in which `anyscheme` also finds its configuration. */
export function runShellCommand(
  line: string,
  cwd: string,
  project: CodeBlockProject,
  hosts: ExampleHostServers,
): Promise<CommandResult> {
  const env = { ...createShellEnvironmentVariables(project, hosts), XDG_CONFIG_HOME: cwd };
  return new Promise((resolve) => {
    const args = ["-c", `{ ${line}\n} 2>&1`];
    const child = execFile("/bin/sh", args, { cwd, env, timeout: 15_000 }, (error, output) => {
      const exit = error ? Number(error.code ?? 1) : 0;
      resolve({ output: error?.killed ? `${output}(the command did not end)` : output, exitCode: exit });
    });
    child.stdin?.end();
  });
}
