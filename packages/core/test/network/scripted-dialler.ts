import { Socket, type TcpSocketConnectOpts } from "node:net";
import { vi } from "vitest";

/** The result of an attempt to connect to an address, and the time after which it happens. */
export type ScriptedConnectResult =
  | { readonly connectsAfterMs: number; readonly peerAddress?: string }
  | { readonly failsAfterMs: number; readonly code: string }
  | { readonly closesAfterMs: number }
  | "silent";

/** An attempt to connect. */
export interface RecordedConnectionAttempt {
  readonly address: string;
  /** The time of the start, in milliseconds since the script was installed. */
  readonly atMs: number;
  readonly socket: Socket;
  /** True when the connection sends small packets without delay (TCP_NODELAY). */
  readonly noDelay: boolean | undefined;
}

/**
 * Replaces the clock and the connections of Node.js by a fake clock and a script. An address that the script does not
 * name is `silent`. Returns the attempts in the order of their start.
 */
export function mockSocketConnect(
  script: Readonly<Record<string, ScriptedConnectResult>>,
): RecordedConnectionAttempt[] {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const startMs = performance.now();
  const dialled: RecordedConnectionAttempt[] = [];
  vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...args: unknown[]) {
    // Node.js passes the normalized arguments as an array.
    const [options] = (Array.isArray(args[0]) ? args[0] : args) as [TcpSocketConnectOpts];
    const { host: address = "", noDelay } = options;
    dialled.push({ address, atMs: performance.now() - startMs, socket: this, noDelay });
    const planned = script[address] ?? "silent";
    if (planned === "silent") return this;
    if ("code" in planned) {
      const error = Object.assign(new Error(planned.code), { code: planned.code });
      setTimeout(() => this.destroy(error), planned.failsAfterMs);
      return this;
    }
    if ("closesAfterMs" in planned) {
      setTimeout(() => this.destroy(), planned.closesAfterMs);
      return this;
    }
    setTimeout(() => {
      Object.defineProperty(this, "remoteAddress", { value: planned.peerAddress ?? address });
      this.emit("connect");
    }, planned.connectsAfterMs);
    return this;
  });
  return dialled;
}
