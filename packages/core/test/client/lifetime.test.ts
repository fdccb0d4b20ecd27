import { getEventListeners } from "node:events";
import { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { Scope } from "../../src/client/lifetime/lifetime.ts";
import type { Bound } from "../../src/network/connector.ts";
import { Scopes } from "../../src/client/lifetime/active-requests.ts";

const reason = new Error("enough");

function child(parent: AbortController, scopes = new Scopes()): Scope {
  return new Scope(scopes, { signal: parent.signal, reason: () => reason });
}

describe("a scope", () => {
  it("aborts with the caller's signal", () => {
    const [parent, scopes] = [new AbortController(), new Scopes()];
    const scope = child(parent, scopes);
    parent.abort();
    scopes.close(() => new Error("closed"));
    expect(scope.signal.reason).toBe(reason);
  });

  it("aborts with its client, whether it has begun before that or begins after it", () => {
    const scopes = new Scopes();
    const ended = new Scope(scopes);
    ended.end();
    const before = new Scope(scopes);
    scopes.close(() => reason);
    const after = new Scope(scopes);
    expect([before, after, ended].map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    expect([before, after].map(({ signal }) => signal.reason as Error)).toEqual([reason, reason]);
  });

  it("is forgotten by its client at its end", () => {
    const scopes = new Scopes();
    const scope = new Scope(scopes);
    const abort = vi.spyOn(scope, "abort");
    scope.end();
    scopes.close(() => reason);
    expect(abort).not.toHaveBeenCalled();
  });

  it("is aborted from the start by a parent that is", () => {
    const parent = new AbortController();
    parent.abort();
    expect(child(parent).signal.reason).toBe(reason);
  });

  it("leaves no listener behind", () => {
    const parent = new AbortController();
    const scope = child(parent);
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(1);
    scope.end();
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
    parent.abort();
    expect(scope.signal.aborted).toBe(false);
  });

  it("does not abort after its end", () => {
    const scope = child(new AbortController());
    scope.end();
    scope.end();
    scope.abort(reason);
    scope.expireAfter(0, () => reason);
    expect([scope.ended, scope.signal.aborted]).toEqual([true, false]);
  });

  it.each([1, 0, -5])("expires after %i ms", async (ms) => {
    const scope = child(new AbortController());
    const expired = new Promise((resolve) => scope.signal.addEventListener("abort", resolve));
    scope.expireAfter(60_000, () => new Error("too late"));
    scope.expireAfter(ms, () => reason);
    await expired;
    expect(scope.signal.reason).toBe(reason);
  });

  it("does not expire when the limit was lifted, or there is none", async () => {
    const scope = child(new AbortController());
    scope.expireAfter(0, () => reason);
    scope.expireAfter(Infinity, () => reason);
    scope.expireAfter(1, () => reason);
    scope.lift();
    const later = child(new AbortController());
    const expired = new Promise((resolve) => later.signal.addEventListener("abort", resolve));
    later.expireAfter(2, () => reason);
    await expired;
    expect(scope.signal.aborted).toBe(false);
    scope.end();
  });

  it("ends its sockets with the turn, and at once those that come late", async () => {
    const scope = child(new AbortController());
    const [early, late] = [new Socket(), new Socket()];
    scope.track(early);
    expect(early.destroyed).toBe(false);
    scope.end();
    scope.track(late);
    expect([early.destroyed, late.destroyed]).toEqual([false, true]);
    await new Promise(setImmediate);
    expect(early.destroyed).toBe(true);
    // An error of a socket that nobody reads any more is no error of the process.
    for (const socket of [early, late]) expect(socket.emit("error", reason)).toBe(true);
  });

  it("ends a socket that another scope has released, at once when it comes late", async () => {
    const [first, second] = [child(new AbortController()), child(new AbortController())];
    const [early, late] = [new Socket(), new Socket()];
    for (const socket of [early, late]) {
      first.track(socket);
      first.release(socket);
    }
    first.end();
    await new Promise(setImmediate);
    second.adopt(early);
    expect(early.destroyed).toBe(false);
    second.end();
    second.adopt(late);
    expect([early.destroyed, late.destroyed]).toEqual([false, true]);
    await new Promise(setImmediate);
    expect(early.destroyed).toBe(true);
    for (const socket of [early, late]) {
      expect(socket.emit("error", reason)).toBe(true);
      expect(socket.listenerCount("error")).toBe(1);
    }
  });

  it("ends its sockets at once when it was aborted", () => {
    const scope = child(new AbortController());
    const socket = new Socket();
    scope.track(socket);
    scope.abort(reason);
    scope.end();
    expect(socket.destroyed).toBe(true);
  });

  it("closes datagram sockets at its end once, or at once when it has ended", () => {
    const scope = child(new AbortController());
    const calls: string[] = [];
    const bound = (close: () => void): Bound => ({ close, ref: () => undefined, unref: () => undefined });
    scope.bind(bound(() => calls.push("kept")));
    scope.bind(bound(() => calls.push("forgotten")))();
    // A socket that closes is forgotten.
    const forget = scope.bind(bound(() => (calls.push("forgets"), forget())));
    scope.end();
    scope.end();
    expect(calls).toEqual(["kept", "forgets"]);
    scope.bind(bound(() => calls.push("late")));
    expect(calls).toEqual(["kept", "forgets", "late"]);
  });
});
