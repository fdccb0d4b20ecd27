import { readdirSync, readFileSync } from "node:fs";

/** A process, told apart from a later one with the same id by when it started. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

interface ProcessRecord extends ProcessIdentity {
  readonly parent: number;
}

/** Reads proc(5); gives undefined for a process that is gone, and on systems without `/proc`. */
function readProcess(pid: number): ProcessRecord | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the name, may hold spaces and parentheses: the third begins after the last of them.
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

/** The children of a process, their children, and so on, also those that have left its process group. */
export function descendantsOf(ancestor: number): ProcessIdentity[] {
  const processes = allProcesses();
  const below = (parent: number): ProcessRecord[] => {
    const children = processes.filter((record) => record.parent === parent);
    return children.concat(children.flatMap(({ pid }) => below(pid)));
  };
  return below(ancestor);
}

/** Kills this very process, if it still runs. */
export function killProcess({ pid, startedAt }: ProcessIdentity): void {
  if (readProcess(pid)?.startedAt !== startedAt) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
