import type { Socket } from "node:net";
import type { CloseableHandle, GuardContext } from "../../src/network/guard-context.ts";
import { DEFAULT_CORE_LIMITS, mergeLimits, type CoreLimits } from "../../src/policy/limits.ts";
import { type Policy, anyAddress } from "../../src/policy/policy.ts";
import type { TraceEventInit } from "../../src/scheme/context.ts";

/** A context that records its calls. */
export interface RecordingConnectionContext extends GuardContext {
  /** The names that were looked up. */
  readonly lookedUpHosts: string[];
  readonly sockets: Socket[];
  /** The open datagram sockets. */
  readonly datagramHandles: Set<CloseableHandle>;
  readonly events: TraceEventInit[];
}

export interface RecordingConnectionContextInit extends Omit<Partial<GuardContext>, "limits" | "resolver"> {
  /** The policy of a URL that the caller has named. Default `anyAddress()`. */
  readonly policy?: Policy;
  readonly limits?: Partial<CoreLimits>;
  /** The result of the resolver: fixed addresses, or a function that is called for each look-up. */
  readonly resolverAnswer?: readonly string[] | (() => Promise<readonly string[]>);
}

/** Creates a context for a scheme whose server sends first, so that ports from 1024 on are allowed. */
export function createRecordingConnectionContext(
  init: RecordingConnectionContextInit = {},
): RecordingConnectionContext {
  const { limits, resolverAnswer: answers = [], policy: _, ...rest } = init;
  const { policy = anyAddress() } = init;
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const bindings = new Set<CloseableHandle>();
  const events: TraceEventInit[] = [];
  return {
    policySelectionInput: { requestPolicy: policy, targetNamedBy: "caller" },
    schemePorts: { scheme: "x-echo", defaultPort: 7, portRange: "unprivileged" },
    limits: mergeLimits(limits, DEFAULT_CORE_LIMITS),
    connectionAttemptDelayMs: 250,
    linkLocalZone: undefined,
    proxy: undefined,
    signal: new AbortController().signal,
    resolver: (name) => {
      asked.push(name);
      return typeof answers === "function" ? answers() : Promise.resolve(answers);
    },
    trace: (event) => events.push(event),
    onSocket: (socket) => sockets.push(socket),
    onDatagramSocket: (socket) => {
      bindings.add(socket);
      return () => void bindings.delete(socket);
    },
    onAddressesChecked: () => undefined,
    ...rest,
    lookedUpHosts: asked,
    sockets,
    datagramHandles: bindings,
    events,
  };
}
