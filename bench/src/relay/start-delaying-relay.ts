import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** With `ftp`, the relay also handles FTP data connections, whose ports the server sends in its replies. */
export type RelayedTcpOrFtp = "tcp" | "ftp";

export interface DelayingRelay extends AsyncDisposable {
  /** The port of the relay, to which clients connect instead of the server's port. */
  readonly port: number;
}

/**
 * Starts a process that relays connections to a server with a delay. The relay delays each chunk in both
 * directions, and adds the round trip of connecting. A delay of 0 starts no relay and returns the port of the
 * server.
 */
export async function startDelayingRelay(
  port: number,
  delayMs: number,
  protocol: RelayedTcpOrFtp = "tcp",
): Promise<DelayingRelay> {
  if (delayMs === 0) return { port, [Symbol.asyncDispose]: () => Promise.resolve() };
  const script = fileURLToPath(new URL("./relay-process.js", import.meta.url));
  const child = fork(script, [String(port), String(delayMs), protocol]);
  const [relayPort] = (await once(child, "message")) as [number];
  return {
    port: relayPort,
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

/** Returns a smaller number of requests for a delayed connection, so that a run takes only a few seconds. */
export function reduceRequestCountForDelay(amount: number, concurrency: number, delayMs: number): number {
  return delayMs === 0 ? amount : Math.min(amount, Math.ceil((500 * concurrency) / delayMs));
}
