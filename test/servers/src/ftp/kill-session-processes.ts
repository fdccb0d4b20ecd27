import { listDescendantProcesses, killUnlessPidReused } from "../daemon/descendant-processes.ts";
import type { RunningServer } from "../running-server.ts";

/**
 * Kills the session processes of a server and returns their number. The main process of the FTP server continues to
 * run.
 */
export function killServerSessions({ pid }: Pick<RunningServer, "pid">): number {
  const sessions = listDescendantProcesses(pid);
  sessions.forEach(killUnlessPidReused);
  return sessions.length;
}
