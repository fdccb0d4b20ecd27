import type { TraceMessage } from "../scheme/context.ts";
import type { Limits } from "../policy/limits.ts";
import type { Lead } from "../policy/policy-for.ts";
import type { PortClass } from "../policy/ports.ts";
import type { Socket } from "./socket.ts";

/** Gives the addresses of a name. The default asks the system's resolver. */
export type Resolver = (name: string, options: { signal: AbortSignal }) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (name) => {
  // Loaded by the first name: most that is dialled by number never needs it.
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** A handle of Node.js that keeps the process alive, unless it is told not to. */
export interface Refable {
  ref(): unknown;
  unref(): unknown;
}

/** A datagram socket. */
export interface Bound extends Refable {
  close(): void;
}

/** What one access brings to the guard. */
export interface Gate {
  /** What led here; `policyFor` has the policy of a connection from it. */
  readonly lead: Lead;
  readonly portClass: PortClass;
  readonly limits: Limits;
  readonly resolver: Resolver;
  readonly signal: AbortSignal;
  trace(event: TraceMessage): void;
  /** Told of every socket before it connects, so that whoever ends the access can end the socket; `carrier` is what TLS runs on. */
  opened(socket: Socket, carrier?: Socket): void;
  /** Told of every datagram socket before it sends; gives what to call once it is closed. */
  bound(socket: Bound): () => void;
  /** Told the addresses that have passed the rules, before any of them is dialled. */
  admitted(addresses: readonly string[]): void;
}
