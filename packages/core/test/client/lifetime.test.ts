import { getEventListeners } from "node:events";
import { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { HopLifetime, ActiveRequests } from "../../src/client/lifetime.ts";
import type { DatagramHandle } from "../../src/network/connector.ts";

const reason = new Error("enough");

function child(parent: AbortController, activeRequests = new ActiveRequests()): HopLifetime {
  return new HopLifetime(activeRequests, { signal: parent.signal, reason: () => reason });
}

describe("Lifetime", () => {
  it("a lifetime aborts when the caller's signal aborts", () => {
    const [parent, activeRequests] = [new AbortController(), new ActiveRequests()];
    const lifetime = child(parent, activeRequests);
    parent.abort();
    activeRequests.abortAll(() => new Error("closed"));
    expect(lifetime.signal.reason).toBe(reason);
  });

  it("a lifetime aborts with its client, also one that starts afterwards", () => {
    const activeRequests = new ActiveRequests();
    const ended = new HopLifetime(activeRequests);
    ended.end();
    const before = new HopLifetime(activeRequests);
    activeRequests.abortAll(() => reason);
    const after = new HopLifetime(activeRequests);
    expect([before, after, ended].map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    expect([before, after].map(({ signal }) => signal.reason as Error)).toEqual([reason, reason]);
  });

  it("a lifetime is removed from the active requests when it ends", () => {
    const activeRequests = new ActiveRequests();
    const lifetime = new HopLifetime(activeRequests);
    const abort = vi.spyOn(lifetime, "abort");
    lifetime.end();
    activeRequests.abortAll(() => reason);
    expect(abort).not.toHaveBeenCalled();
  });

  it("a lifetime is aborted from the start when the caller's signal is aborted", () => {
    const parent = new AbortController();
    parent.abort();
    expect(child(parent).signal.reason).toBe(reason);
  });

  it("the end of a lifetime removes its listener from the caller's signal", () => {
    const parent = new AbortController();
    const lifetime = child(parent);
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(1);
    lifetime.end();
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
    parent.abort();
    expect(lifetime.signal.aborted).toBe(false);
  });

  it("a lifetime does not abort after its end", () => {
    const lifetime = child(new AbortController());
    lifetime.end();
    lifetime.end();
    lifetime.abort(reason);
    lifetime.setDeadline(0, () => reason);
    expect([lifetime.hasEnded, lifetime.signal.aborted]).toEqual([true, false]);
  });

  it.each([1, 0, -5])("a lifetime aborts when its deadline of %i ms has passed", async (ms) => {
    const lifetime = child(new AbortController());
    const expired = new Promise((resolve) => lifetime.signal.addEventListener("abort", resolve));
    lifetime.setDeadline(60_000, () => new Error("too late"));
    lifetime.setDeadline(ms, () => reason);
    await expired;
    expect(lifetime.signal.reason).toBe(reason);
  });

  it("a lifetime does not abort when its deadline is cleared or infinite", async () => {
    const lifetime = child(new AbortController());
    lifetime.setDeadline(0, () => reason);
    lifetime.setDeadline(Infinity, () => reason);
    lifetime.setDeadline(1, () => reason);
    lifetime.clearDeadline();
    const later = child(new AbortController());
    const expired = new Promise((resolve) => later.signal.addEventListener("abort", resolve));
    later.setDeadline(2, () => reason);
    await expired;
    expect(lifetime.signal.aborted).toBe(false);
    lifetime.end();
  });

  it("the end of a lifetime destroys its sockets, and a socket that is added later immediately", () => {
    const lifetime = child(new AbortController());
    const [early, late] = [new Socket(), new Socket()];
    lifetime.addSocket(early);
    expect(early.destroyed).toBe(false);
    lifetime.end();
    lifetime.addSocket(late);
    expect([early.destroyed, late.destroyed]).toEqual([true, true]);
    // A late error of a socket must not end the process.
    for (const socket of [early, late]) expect(socket.emit("error", reason)).toBe(true);
  });

  it("the end of a lifetime destroys attached sockets, and a socket that is attached later immediately", async () => {
    const [first, second] = [child(new AbortController()), child(new AbortController())];
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
      expect(socket.emit("error", reason)).toBe(true);
      expect(socket.listenerCount("error")).toBe(1);
    }
  });

  it("the end of an aborted lifetime destroys its sockets", () => {
    const lifetime = child(new AbortController());
    const socket = new Socket();
    lifetime.addSocket(socket);
    lifetime.abort(reason);
    lifetime.end();
    expect(socket.destroyed).toBe(true);
  });

  it("the end of a lifetime closes each datagram socket once, and a later datagram socket immediately", () => {
    const lifetime = child(new AbortController());
    const calls: string[] = [];
    const bound = (close: () => void): DatagramHandle => ({
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
