import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import type { Hosts } from "./hosts.ts";
import type { Project } from "./project.ts";

/** The output of a program on both streams in order, and its exit code. */
export interface OperationResult {
  readonly output: string;
  readonly exit: number;
}

/** Returns the environment of a reader's terminal, in which the test hosts replace `.example`. */
export function environmentOf({ folder }: Project, { ports }: Hosts): NodeJS.ProcessEnv {
  return {
    HOME: folder,
    LANG: "C.UTF-8",
    TZ: "UTC",
    NODE_OPTIONS: `--import ${new URL("redirect-hosts.js", import.meta.url).href}`,
    PATH: [join(folder, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    STAGE_PORTS: JSON.stringify(ports),
  };
}

/** Runs a shell line. The configuration of the command is also in the folder. */
export function perform(line: string, cwd: string, project: Project, hosts: Hosts): Promise<OperationResult> {
  const env = { ...environmentOf(project, hosts), XDG_CONFIG_HOME: cwd };
  return new Promise((resolve) => {
    const args = ["-c", `{ ${line}\n} 2>&1`];
    const child = execFile("/bin/sh", args, { cwd, env, timeout: 15_000 }, (error, output) => {
      const exit = error ? Number(error.code ?? 1) : 0;
      resolve({ output: error?.killed ? `${output}(it does not end)` : output, exit });
    });
    child.stdin?.end();
  });
}
