import { readdirSync, readFileSync } from "node:fs";

/** The id and the start time of a process. The start time distinguishes processes with the same id. */
export interface ProcessIdAndStartTime {
  readonly pid: number;
  readonly startedAt: string;
}

interface ProcessRecord extends ProcessIdAndStartTime {
  readonly parentPid: number;
}

/**
 * Parses the file `/proc/PID/stat`, see proc(5). Returns undefined for a process that has ended, and on
 * systems without `/proc`.
 */
function readProcessStat(pid: number): ProcessRecord | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the program name in parentheses, may contain spaces and parentheses. In `/proc/PID/stat`, the
    // third field begins after the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parentPid: Number(fields[1]), startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

function listAllProcesses(): ProcessRecord[] {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => readProcessStat(Number(pid)) ?? []);
  } catch {
    return [];
  }
}

/** Returns all descendants of a process, including those that have left its process group. */
export function listDescendantProcesses(ancestor: number): ProcessIdAndStartTime[] {
  const processes = listAllProcesses();
  const below = (parent: number): ProcessRecord[] => {
    const children = processes.filter((record) => record.parentPid === parent);
    return children.concat(children.flatMap(({ pid }) => below(pid)));
  };
  return below(ancestor);
}

/** Kills a process, unless the process has ended. */
export function killUnlessPidReused({ pid, startedAt }: ProcessIdAndStartTime): void {
  if (readProcessStat(pid)?.startedAt !== startedAt) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
