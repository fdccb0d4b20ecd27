import { getEventListeners } from "node:events";
import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { waitForConnect } from "../../src/network/connect.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingConnectionContext } from "./recording-connection-context.ts";

/** An unconnected socket, whose events the test emits. */
let unconnectedSocket: Socket;
let accessController: AbortController;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  unconnectedSocket = new Socket();
  accessController = new AbortController();
});
afterEach(() => {
  unconnectedSocket.destroy();
  vi.useRealTimers();
});

const SOCKET_EVENTS = ["connect", "error", "close"] as const;
const countListeners = (): number[] => SOCKET_EVENTS.map((event) => unconnectedSocket.listenerCount(event));

function waitForSocketConnect(ms?: number): Promise<void> {
  const context = createRecordingConnectionContext({
    signal: accessController.signal,
    limits: { connectTimeoutMs: 1_000 },
  });
  return waitForConnect(context, unconnectedSocket, "connect", ms);
}

/** Checks that the wait has removed its timer and its listeners. */
function expectNoTimerOrListener(before: readonly number[]): void {
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(accessController.signal, "abort")).toEqual([]);
  expect(countListeners()).toEqual(before);
}

describe("waitForConnect waits until a socket is connected", () => {
  it("waitForConnect resolves when the socket is connected, and leaves no timer or listener behind", async () => {
    const before = countListeners();
    const waiting = waitForSocketConnect();
    expect(vi.getTimerCount()).toBe(1);
    unconnectedSocket.emit("connect");
    await waiting;
    expectNoTimerOrListener(before);
    expect(unconnectedSocket.destroyed).toBe(false);
  });

  it.each<[string, () => unknown, object]>([
    [
      "an error",
      () => unconnectedSocket.emit("error", Object.assign(new Error("no"), { code: "CERT_HAS_EXPIRED" })),
      {
        code: "unavailable",
        reason: "the certificate has expired (CERT_HAS_EXPIRED)",
        certificate: "expired",
      },
    ],
    [
      "the close",
      () => unconnectedSocket.emit("close"),
      {
        code: "unavailable",
        reason: "connection closed by the server",
        isTemporary: true,
      },
    ],
    [
      "the limit",
      () => vi.advanceTimersByTime(1_000),
      { code: "timeout", limit: "connectTimeoutMs", reason: "timed out" },
    ],
  ])("waitForConnect rejects after %s and destroys the socket", async (_, happen, expected) => {
    const [connects, errors, closes] = countListeners();
    const waiting = catchAccessError(waitForSocketConnect());
    happen();
    expect(await waiting).toMatchObject(expected);
    expect(unconnectedSocket.destroyed).toBe(true);
    // One error listener remains, so that a late error does not end the process.
    expectNoTimerOrListener([connects ?? 0, (errors ?? 0) + 1, closes ?? 0]);
    expect(() => unconnectedSocket.emit("error", new Error("late"))).not.toThrow();
  });

  it.each(["before", "during"])(
    "waitForConnect rejects with the reason of an abort %s the wait",
    async (when) => {
      const reason = new Error("enough");
      if (when === "before") accessController.abort(reason);
      const waiting = waitForSocketConnect().catch((error: unknown) => error);
      if (when === "during") accessController.abort(reason);
      expect(await waiting).toBe(reason);
      expect(unconnectedSocket.destroyed).toBe(true);
      expect(getEventListeners(accessController.signal, "abort")).toEqual([]);
    },
  );

  it("waitForConnect waits for the given time instead of connectTimeoutMs", async () => {
    const waiting = catchAccessError(waitForSocketConnect(200));
    vi.advanceTimersByTime(199);
    expect(unconnectedSocket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect((await waiting).code).toBe("timeout");
  });

  it("waitForConnect starts no timer for an infinite time limit", async () => {
    const waiting = waitForSocketConnect(Infinity);
    expect(vi.getTimerCount()).toBe(0);
    unconnectedSocket.emit("connect");
    await waiting;
  });
});
