import { getEventListeners } from "node:events";
import { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HopLifetime, ActiveClientRequests } from "../../../src/client/request-lifetime.ts";
import type { CloseableHandle } from "../../../src/network/guard-context.ts";
import { DEFAULT_CORE_LIMITS } from "../../../src/policy/limits.ts";

afterEach(() => void vi.useRealTimers());

const abortReason = new Error("enough");

function createHopLifetime(
  parent: AbortController,
  activeRequests = new ActiveClientRequests(),
): HopLifetime {
  return new HopLifetime(activeRequests, { signal: parent.signal, createAbortReason: () => abortReason });
}

describe("HopLifetime", () => {
  it("a lifetime aborts when the caller's signal aborts", () => {
    const [parent, activeRequests] = [new AbortController(), new ActiveClientRequests()];
    const lifetime = createHopLifetime(parent, activeRequests);
    parent.abort();
    activeRequests.abortAll(() => new Error("closed"));
    expect(lifetime.signal.reason).toBe(abortReason);
  });

  it("a lifetime aborts when its client aborts all requests, also a lifetime that starts afterwards", () => {
    const activeRequests = new ActiveClientRequests();
    const ended = new HopLifetime(activeRequests);
    ended.end();
    const before = new HopLifetime(activeRequests);
    activeRequests.abortAll(() => abortReason);
    const after = new HopLifetime(activeRequests);
    expect([before, after, ended].map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    expect([before, after].map(({ signal }) => signal.reason as Error)).toEqual([abortReason, abortReason]);
  });

  it("a lifetime is removed from the active requests when it ends", () => {
    const activeRequests = new ActiveClientRequests();
    const lifetime = new HopLifetime(activeRequests);
    const abort = vi.spyOn(lifetime, "abortSignal");
    lifetime.end();
    activeRequests.abortAll(() => abortReason);
    expect(abort).not.toHaveBeenCalled();
  });

  it("a lifetime is aborted from the start when the caller's signal is aborted", () => {
    const parent = new AbortController();
    parent.abort();
    expect(createHopLifetime(parent).signal.reason).toBe(abortReason);
  });

  it("the end of a lifetime removes its listener from the caller's signal", () => {
    const parent = new AbortController();
    const lifetime = createHopLifetime(parent);
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(1);
    lifetime.end();
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
    parent.abort();
    expect(lifetime.signal.aborted).toBe(false);
  });

  it("a lifetime does not abort after its end", () => {
    const lifetime = createHopLifetime(new AbortController());
    lifetime.end();
    lifetime.end();
    lifetime.abortSignal(abortReason);
    lifetime.setDeadline(0, () => abortReason);
    expect([lifetime.hasEnded, lifetime.signal.aborted]).toEqual([true, false]);
  });

  it.each([1, 0, -5])("a lifetime aborts when its deadline of %i ms has passed", async (ms) => {
    const lifetime = createHopLifetime(new AbortController());
    const expired = new Promise((resolve) => lifetime.signal.addEventListener("abort", resolve));
    lifetime.setDeadline(60_000, () => new Error("too late"));
    lifetime.setDeadline(ms, () => abortReason);
    await expired;
    expect(lifetime.signal.reason).toBe(abortReason);
  });

  it("a lifetime does not abort when its deadline is cleared or infinite", async () => {
    const lifetime = createHopLifetime(new AbortController());
    lifetime.setDeadline(0, () => abortReason);
    lifetime.setDeadline(Infinity, () => abortReason);
    lifetime.setDeadline(1, () => abortReason);
    lifetime.clearDeadline();
    const later = createHopLifetime(new AbortController());
    const expired = new Promise((resolve) => later.signal.addEventListener("abort", resolve));
    later.setDeadline(2, () => abortReason);
    await expired;
    expect(lifetime.signal.aborted).toBe(false);
    lifetime.end();
  });

  it.each([
    ["the rest of callTimeoutMs", 1_000, 400, 601, "the request took too long"],
    ["an earlier deadline", 1_000, 400, 500, "enough"],
    ["the deadline without callTimeoutMs", Infinity, 400, 601, "enough"],
  ])("setRequestDeadline applies %s", (_, callTimeoutMs, elapsedMs, deadlineMs, reason) => {
    vi.useFakeTimers();
    const lifetime = createHopLifetime(new AbortController());
    lifetime.setDeadline(deadlineMs, () => abortReason);
    const limits = { ...DEFAULT_CORE_LIMITS, callTimeoutMs };
    lifetime.setRequestDeadline({ limits, startedAtMs: performance.now() - elapsedMs });
    vi.advanceTimersByTime(601);
    expect((lifetime.signal.reason as Error).message).toContain(reason);
  });

  it("the end of a lifetime destroys its sockets, and a socket that is added later is destroyed immediately", () => {
    const lifetime = createHopLifetime(new AbortController());
    const [early, late] = [new Socket(), new Socket()];
    lifetime.addSocket(early);
    expect(early.destroyed).toBe(false);
    lifetime.end();
    lifetime.addSocket(late);
    expect([early.destroyed, late.destroyed]).toEqual([true, true]);
    // A late error of a socket must not end the process.
    for (const socket of [early, late]) expect(socket.emit("error", abortReason)).toBe(true);
  });

  it("the end of a lifetime destroys attached sockets, and a socket that is attached later is destroyed immediately", async () => {
    const [first, second] = [
      createHopLifetime(new AbortController()),
      createHopLifetime(new AbortController()),
    ];
    const [early, late] = [new Socket(), new Socket()];
    for (const socket of [early, late]) {
      first.addSocket(socket);
      first.detachSocket(socket);
    }
    first.end();
    await new Promise(setImmediate);
    second.attachSocket(early);
    expect(early.destroyed).toBe(false);
    second.end();
    second.attachSocket(late);
    expect([early.destroyed, late.destroyed]).toEqual([true, true]);
    for (const socket of [early, late]) {
      expect(socket.emit("error", abortReason)).toBe(true);
      expect(socket.listenerCount("error")).toBe(1);
    }
  });

  it("the end of an aborted lifetime destroys its sockets", () => {
    const lifetime = createHopLifetime(new AbortController());
    const socket = new Socket();
    lifetime.addSocket(socket);
    lifetime.abortSignal(abortReason);
    lifetime.end();
    expect(socket.destroyed).toBe(true);
  });

  it("the end of a lifetime closes each datagram socket once, and a later datagram socket is closed immediately", () => {
    const lifetime = createHopLifetime(new AbortController());
    const calls: string[] = [];
    const bound = (close: () => void): CloseableHandle => ({
      close,
      ref: () => undefined,
      unref: () => undefined,
    });
    lifetime.addDatagramSocket(bound(() => calls.push("kept")));
    lifetime.addDatagramSocket(bound(() => calls.push("forgotten")))();
    // A lifetime removes a socket that closes.
    const forget = lifetime.addDatagramSocket(bound(() => (calls.push("forgets"), forget())));
    lifetime.end();
    lifetime.end();
    expect(calls).toEqual(["kept", "forgets"]);
    lifetime.addDatagramSocket(bound(() => calls.push("late")));
    expect(calls).toEqual(["kept", "forgets", "late"]);
  });
});
