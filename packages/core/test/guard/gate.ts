import type { Socket } from "node:net";
import type { Gate } from "../../src/guard/gate.ts";
import { DEFAULT_LIMITS, limitsWith, type Limits } from "../../src/guard/limits.ts";
import { trusted } from "../../src/guard/policy.ts";
import type { TraceEvent } from "../../src/scheme.ts";

/** A gate that records what goes through it. */
export interface RecordingGate extends Gate {
  /** The names that the resolver was asked for. */
  readonly asked: string[];
  readonly sockets: Socket[];
  /** What closes the datagram sockets that are open. */
  readonly bindings: Set<() => void>;
  readonly events: TraceEvent[];
}

export interface GateInit extends Omit<Partial<Gate>, "limits" | "resolver"> {
  readonly limits?: Partial<Limits>;
  /** What the resolver gives: the same each time, or one answer after the other. */
  readonly answers?: readonly string[] | (() => Promise<readonly string[]>);
}

/** A gate for a scheme whose server speaks first, so that free ports are allowed. */
export function recordingGate(init: GateInit = {}): RecordingGate {
  const { limits, answers = [], ...rest } = init;
  const policy = init.policy ?? trusted();
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const bindings = new Set<() => void>();
  const events: TraceEvent[] = [];
  return {
    policy,
    portClass: { scheme: "x-echo", defaultPort: 7, speaksFirst: "server" },
    limits: limitsWith(limits, DEFAULT_LIMITS),
    signal: new AbortController().signal,
    resolver: (name) => {
      asked.push(name);
      return typeof answers === "function" ? answers() : Promise.resolve(answers);
    },
    trace: (event) => events.push(event),
    opened: (socket) => sockets.push(socket),
    bound: (close) => {
      bindings.add(close);
      return () => void bindings.delete(close);
    },
    policyFor: () => policy,
    ...rest,
    asked,
    sockets,
    bindings,
    events,
  };
}
