import { promises as fs } from "node:fs";
import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { Socket as DatagramSocket } from "node:dgram";

/** The kinds of system calls that may fail. */
export type FailingSystemCallKind = "connect" | "lookup" | "read" | "write" | "open" | "timer";

export const FAILING_NODE_CALL_KINDS: readonly FailingSystemCallKind[] = [
  "connect",
  "lookup",
  "read",
  "write",
  "open",
  "timer",
];

/** An injected failure: the n-th system call of one kind fails. */
export interface FailureInjectionHandle {
  /** True when the n-th call has failed. */
  readonly hasOccurred: boolean;
  /** The sockets that were opened since the failure was injected. */
  readonly openedSockets: readonly Socket[];
  /** Restores the methods of Node.js that the failure injection has replaced. */
  restore(): void;
}

/** A function with any arguments and result. */
type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a method of an object. The replacement rejects with the error code when `hasFailed` returns true. */
function replaceWithFailingMethod(owner: object, name: string, hasFailed: () => boolean, code: string): void {
  const methods = owner as Record<string, AnyFunction>;
  const original = methods[name] as AnyFunction;
  methods[name] = (...args) =>
    hasFailed() ? Promise.reject(createSystemError(code)) : original.apply(owner, args);
}

function createSystemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected failure`), { code });
}

/**
 * Makes the n-th system call of a kind fail, counted from 1. Among the calls of sockets, counts only those of sockets
 * that connect, so that servers in the same process are not affected. For the kind `timer`, the n-th timer fires
 * immediately.
 */
export function patchNodeToFailNthCall(kind: FailingSystemCallKind, n: number): FailureInjectionHandle {
  let count = 0;
  let hasFailed = false;
  const isFaultPoint = (of: FailingSystemCallKind): boolean => {
    if (of !== kind || hasFailed) return false;
    hasFailed = ++count === n;
    return hasFailed;
  };
  const sockets: Socket[] = [];
  const clientSockets = new WeakSet<Socket>();
  const datagramSockets = new WeakSet<DatagramSocket>();
  const restores: (() => void)[] = [];
  const replaceMethod = (owner: object, name: string, make: (original: AnyFunction) => AnyFunction): void => {
    const methods = owner as Record<string, AnyFunction>;
    const original = methods[name] as AnyFunction;
    methods[name] = make(original);
    restores.push(() => (methods[name] = original));
  };

  replaceMethod(Socket.prototype, "connect", (original) => {
    return function connect(this: unknown, ...args) {
      const socket = this as Socket;
      clientSockets.add(socket);
      sockets.push(socket);
      if (!isFaultPoint("connect")) return original.apply(this, args);
      process.nextTick(() => socket.destroy(createSystemError("ECONNREFUSED")));
      return socket;
    };
  });
  replaceMethod(Socket.prototype, "write", (original) => {
    return function write(this: unknown, ...args) {
      const socket = this as Socket;
      if (!clientSockets.has(socket) || !isFaultPoint("write")) return original.apply(this, args);
      process.nextTick(() => socket.destroy(createSystemError("EPIPE")));
      return false;
    };
  });
  replaceMethod(Socket.prototype, "resume", (original) => {
    return function resume(this: unknown) {
      const socket = this as Socket;
      if (clientSockets.has(socket) && isFaultPoint("read"))
        process.nextTick(() => socket.destroy(createSystemError("ECONNRESET")));
      return original.call(this);
    };
  });
  replaceMethod(DatagramSocket.prototype, "connect", (original) => {
    return function connect(this: unknown, ...args) {
      datagramSockets.add(this as DatagramSocket);
      if (isFaultPoint("connect"))
        return process.nextTick(args.at(-1) as AnyFunction, createSystemError("ENETUNREACH"));
      return original.apply(this, args);
    };
  });
  replaceMethod(DatagramSocket.prototype, "send", (original) => {
    return function send(this: unknown, ...args) {
      if (!datagramSockets.has(this as DatagramSocket) || !isFaultPoint("write"))
        return original.apply(this, args);
      return process.nextTick(args.at(-1) as AnyFunction, createSystemError("EPERM"));
    };
  });
  replaceMethod(DatagramSocket.prototype, "emit", (original) => {
    return function emit(this: unknown, event, ...args) {
      const fails =
        event === "message" && datagramSockets.has(this as DatagramSocket) && isFaultPoint("read");
      return original.apply(this, fails ? ["error", createSystemError("ECONNREFUSED")] : [event, ...args]);
    };
  });
  replaceMethod(dns, "lookup", (original) => (...args) => {
    return isFaultPoint("lookup")
      ? Promise.reject(createSystemError("EAI_AGAIN"))
      : original.apply(dns, args);
  });
  replaceMethod(fs, "open", (original) => async (...args) => {
    if (isFaultPoint("open")) throw createSystemError("EMFILE");
    const handle = (await original.apply(fs, args)) as fs.FileHandle;
    replaceWithFailingMethod(handle, "read", () => isFaultPoint("read"), "EIO");
    for (const name of ["write", "writev", "writeFile"])
      replaceWithFailingMethod(handle, name, () => isFaultPoint("write"), "ENOSPC");
    return handle;
  });
  replaceMethod(globalThis, "setTimeout", (original) => {
    const setTimeoutWithFault: AnyFunction = (callback, ms, ...args) =>
      original.call(globalThis, callback, Number(ms) > 0 && isFaultPoint("timer") ? 0 : ms, ...args);
    return Object.assign(setTimeoutWithFault, original);
  });
  syncBuiltinESMExports();
  return {
    get hasOccurred() {
      return hasFailed;
    },
    openedSockets: sockets,
    restore() {
      for (const restore of restores.toReversed()) restore();
      syncBuiltinESMExports();
    },
  };
}
