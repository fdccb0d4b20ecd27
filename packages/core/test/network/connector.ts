import type { Socket } from "node:net";
import type { Bound, Gate } from "../../src/network/connector.ts";
import { DEFAULT_LIMITS, mergeLimits, type Limits } from "../../src/policy/limits.ts";
import { type Policy, anyAddress } from "../../src/policy/policy.ts";
import type { TraceMessage } from "../../src/scheme/context.ts";

/** A gate that records what goes through it. */
export interface RecordingGate extends Gate {
  /** The names that the resolver was asked for. */
  readonly asked: string[];
  readonly sockets: Socket[];
  /** What closes the datagram sockets that are open. */
  readonly bindings: Set<Bound>;
  readonly events: TraceMessage[];
}

export interface GateInit extends Omit<Partial<Gate>, "limits" | "resolver"> {
  /** The policy of a URL that the caller has named. Default `anyAddress()`. */
  readonly policy?: Policy;
  readonly limits?: Partial<Limits>;
  /** What the resolver gives: the same each time, or one answer after the other. */
  readonly answers?: readonly string[] | (() => Promise<readonly string[]>);
}

/** A gate for a scheme whose server speaks first, so that free ports are allowed. */
export function recordingGate(init: GateInit = {}): RecordingGate {
  const { limits, answers = [], policy: _, ...rest } = init;
  const { policy = anyAddress() } = init;
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const bindings = new Set<Bound>();
  const events: TraceMessage[] = [];
  return {
    lead: { policy, ledBy: "caller" },
    portClass: { scheme: "x-echo", defaultPort: 7, speaksFirst: "server" },
    limits: mergeLimits(limits, DEFAULT_LIMITS),
    signal: new AbortController().signal,
    resolver: (name) => {
      asked.push(name);
      return typeof answers === "function" ? answers() : Promise.resolve(answers);
    },
    trace: (event) => events.push(event),
    opened: (socket) => sockets.push(socket),
    bound: (socket) => {
      bindings.add(socket);
      return () => void bindings.delete(socket);
    },
    admitted: () => undefined,
    ...rest,
    asked,
    sockets,
    bindings,
    events,
  };
}
