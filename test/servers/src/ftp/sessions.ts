import { descendantsOf, killProcess } from "../daemon/descendants.ts";
import type { RunningServer } from "../running-server.ts";

/** Ends the sessions of a server in the middle of whatever they do; the server itself goes on. */
export function killSessions({ pid }: Pick<RunningServer, "pid">): number {
  const sessions = descendantsOf(pid);
  sessions.forEach(killProcess);
  return sessions.length;
}
