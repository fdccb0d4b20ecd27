import { descendantsOf, killProcess } from "../daemon/descendants.ts";
import type { RunningServer } from "../running-server.ts";

/** Kills the sessions of a server. The server continues to run. */
export function killSessions({ pid }: Pick<RunningServer, "pid">): number {
  const sessions = descendantsOf(pid);
  sessions.forEach(killProcess);
  return sessions.length;
}
