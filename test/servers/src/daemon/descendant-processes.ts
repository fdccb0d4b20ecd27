import { readdirSync, readFileSync } from "node:fs";

/** A process. Its start time distinguishes it from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

interface ProcessRecord extends ProcessIdentity {
  readonly parent: number;
}

/** Parses proc(5). Returns undefined for a process that has ended, and on systems without `/proc`. */
function readProcess(pid: number): ProcessRecord | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the name, may contain spaces and parentheses. The third field begins after its last
    // parenthesis.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(fields[1]), startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

function allProcesses(): ProcessRecord[] {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => readProcess(Number(pid)) ?? []);
  } catch {
    return [];
  }
}

/** Returns all descendants of a process, including those that have left its process group. */
export function descendantsOf(ancestor: number): ProcessIdentity[] {
  const processes = allProcesses();
  const below = (parent: number): ProcessRecord[] => {
    const children = processes.filter((record) => record.parent === parent);
    return children.concat(children.flatMap(({ pid }) => below(pid)));
  };
  return below(ancestor);
}

/** Kills the process, unless it has ended. */
export function killProcess({ pid, startedAt }: ProcessIdentity): void {
  if (readProcess(pid)?.startedAt !== startedAt) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
