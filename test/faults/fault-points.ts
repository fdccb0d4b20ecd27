import { promises as fs } from "node:fs";
import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { Socket as DatagramSocket } from "node:dgram";

/** The kinds of calls that may fail. */
export type FaultKind = "connect" | "lookup" | "read" | "write" | "open" | "timer";

export const FAULT_KINDS: readonly FaultKind[] = ["connect", "lookup", "read", "write", "open", "timer"];

/** Fault points of one run: the n-th call of a kind fails. */
export interface FaultPoints {
  /** True when the run reached the n-th call. */
  readonly struck: boolean;
  /** Sockets that the run opened. */
  readonly sockets: readonly Socket[];
  /** Restores the original methods. */
  restore(): void;
}

/** A method of any type. */
type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a method of one object by one that fails at the fault point. */
function replaceOf(owner: object, name: string, struck: () => boolean, code: string): void {
  const methods = owner as Record<string, Call>;
  const original = methods[name] as Call;
  methods[name] = (...args) => (struck() ? Promise.reject(failure(code)) : original.apply(owner, args));
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: the fault point`), { code });
}

/**
 * Makes the n-th call of a kind fail, counted from 1. Only sockets of the client count, from their connect, so
 * servers in the same process are not affected. A timer at a fault point fires immediately.
 */
export function setFaultPoint(kind: FaultKind, n: number): FaultPoints {
  let count = 0;
  let struck = false;
  const strikes = (of: FaultKind): boolean => {
    if (of !== kind || struck) return false;
    struck = ++count === n;
    return struck;
  };
  const sockets: Socket[] = [];
  const ours = new WeakSet<Socket>();
  const datagramSockets = new WeakSet<DatagramSocket>();
  const restores: (() => void)[] = [];
  const replace = (owner: object, name: string, make: (original: Call) => Call): void => {
    const methods = owner as Record<string, Call>;
    const original = methods[name] as Call;
    methods[name] = make(original);
    restores.push(() => (methods[name] = original));
  };

  replace(Socket.prototype, "connect", (original) => {
    return function connect(this: unknown, ...args) {
      const socket = this as Socket;
      ours.add(socket);
      sockets.push(socket);
      if (!strikes("connect")) return original.apply(this, args);
      process.nextTick(() => socket.destroy(failure("ECONNREFUSED")));
      return socket;
    };
  });
  replace(Socket.prototype, "write", (original) => {
    return function write(this: unknown, ...args) {
      const socket = this as Socket;
      if (!ours.has(socket) || !strikes("write")) return original.apply(this, args);
      process.nextTick(() => socket.destroy(failure("EPIPE")));
      return false;
    };
  });
  replace(Socket.prototype, "resume", (original) => {
    return function resume(this: unknown) {
      const socket = this as Socket;
      if (ours.has(socket) && strikes("read")) process.nextTick(() => socket.destroy(failure("ECONNRESET")));
      return original.call(this);
    };
  });
  replace(DatagramSocket.prototype, "connect", (original) => {
    return function connect(this: unknown, ...args) {
      datagramSockets.add(this as DatagramSocket);
      if (strikes("connect")) return process.nextTick(args.at(-1) as Call, failure("ENETUNREACH"));
      return original.apply(this, args);
    };
  });
  replace(DatagramSocket.prototype, "send", (original) => {
    return function send(this: unknown, ...args) {
      if (!datagramSockets.has(this as DatagramSocket) || !strikes("write"))
        return original.apply(this, args);
      return process.nextTick(args.at(-1) as Call, failure("EPERM"));
    };
  });
  replace(DatagramSocket.prototype, "emit", (original) => {
    return function emit(this: unknown, event, ...args) {
      const fails = event === "message" && datagramSockets.has(this as DatagramSocket) && strikes("read");
      return original.apply(this, fails ? ["error", failure("ECONNREFUSED")] : [event, ...args]);
    };
  });
  replace(dns, "lookup", (original) => (...args) => {
    return strikes("lookup") ? Promise.reject(failure("EAI_AGAIN")) : original.apply(dns, args);
  });
  replace(fs, "open", (original) => async (...args) => {
    if (strikes("open")) throw failure("EMFILE");
    const handle = (await original.apply(fs, args)) as fs.FileHandle;
    replaceOf(handle, "read", () => strikes("read"), "EIO");
    for (const name of ["write", "writev", "writeFile"])
      replaceOf(handle, name, () => strikes("write"), "ENOSPC");
    return handle;
  });
  replace(globalThis, "setTimeout", (original) => {
    const late: Call = (callback, ms, ...args) =>
      original.call(globalThis, callback, Number(ms) > 0 && strikes("timer") ? 0 : ms, ...args);
    return Object.assign(late, original);
  });
  syncBuiltinESMExports();
  return {
    get struck() {
      return struck;
    },
    sockets,
    restore() {
      for (const restore of restores.toReversed()) restore();
      syncBuiltinESMExports();
    },
  };
}
