import { getEventListeners } from "node:events";
import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { waitForConnect } from "../../src/network/connect.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingConnector } from "./recording-connector.ts";

/** An unconnected socket, whose events the test emits. */
let socket: Socket;
let access: AbortController;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  socket = new Socket();
  access = new AbortController();
});
afterEach(() => {
  socket.destroy();
  vi.useRealTimers();
});

const EVENTS = ["connect", "error", "close"] as const;
const listeners = (): number[] => EVENTS.map((event) => socket.listenerCount(event));

function waitFor(ms?: number): Promise<void> {
  const connector = createRecordingConnector({ signal: access.signal, limits: { connectTimeoutMs: 1_000 } });
  return waitForConnect(connector, socket, "connect", "cannot connect", ms);
}

/** Checks that the wait has removed its timer and its listeners. */
function expectNothingLeft(before: readonly number[]): void {
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(access.signal, "abort")).toEqual([]);
  expect(listeners()).toEqual(before);
}

describe("waitForConnect waits until a socket is connected", () => {
  it("resolves when the socket is connected, and leaves no timer or listener behind", async () => {
    const before = listeners();
    const waiting = waitFor();
    expect(vi.getTimerCount()).toBe(1);
    socket.emit("connect");
    await waiting;
    expectNothingLeft(before);
    expect(socket.destroyed).toBe(false);
  });

  it.each<[string, () => unknown, object]>([
    [
      "an error",
      () => socket.emit("error", Object.assign(new Error("no"), { code: "CERT_HAS_EXPIRED" })),
      {
        code: "unavailable",
        reason: "cannot connect: the certificate has expired (CERT_HAS_EXPIRED)",
        certificate: "expired",
      },
    ],
    [
      "the close",
      () => socket.emit("close"),
      { code: "unavailable", reason: "cannot connect: connection closed by the server" },
    ],
    [
      "the limit",
      () => vi.advanceTimersByTime(1_000),
      { code: "timeout", limit: "connectTimeoutMs", reason: "cannot connect: timed out" },
    ],
  ])("rejects after %s and destroys the socket", async (_, happen, expected) => {
    const [connects, errors, closes] = listeners();
    const waiting = catchAccessError(waitFor());
    happen();
    expect(await waiting).toMatchObject(expected);
    expect(socket.destroyed).toBe(true);
    // One error listener remains, so that a late error does not end the process.
    expectNothingLeft([connects ?? 0, (errors ?? 0) + 1, closes ?? 0]);
    expect(() => socket.emit("error", new Error("late"))).not.toThrow();
  });

  it.each(["before", "during"])("rejects with the reason of an abort %s the wait", async (when) => {
    const reason = new Error("enough");
    if (when === "before") access.abort(reason);
    const waiting = waitFor().catch((error: unknown) => error);
    if (when === "during") access.abort(reason);
    expect(await waiting).toBe(reason);
    expect(socket.destroyed).toBe(true);
    expect(getEventListeners(access.signal, "abort")).toEqual([]);
  });

  it("waits for the given time instead of connectTimeoutMs", async () => {
    const waiting = catchAccessError(waitFor(200));
    vi.advanceTimersByTime(199);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect((await waiting).code).toBe("timeout");
  });

  it("starts no timer for an infinite time limit", async () => {
    const waiting = waitFor(Infinity);
    expect(vi.getTimerCount()).toBe(0);
    socket.emit("connect");
    await waiting;
  });
});
