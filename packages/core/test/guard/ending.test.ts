import { describe, expect, it, vi } from "vitest";
import { EndingSource } from "../../src/guard/ending.ts";

describe("an ending", () => {
  it("tells its listeners once, and keeps the first reason", () => {
    const ending = new EndingSource();
    const listener = vi.fn();
    const removed = vi.fn();
    ending.addEventListener("abort", listener);
    ending.addEventListener("abort", removed);
    ending.removeEventListener("abort", removed);
    expect(ending.aborted).toBe(false);
    expect(() => ending.throwIfAborted()).not.toThrow();
    ending.abort("first");
    ending.abort("second");
    expect([ending.aborted, ending.reason]).toEqual([true, "first"]);
    expect(() => ending.throwIfAborted()).toThrow("first");
    expect(listener).toHaveBeenCalledTimes(1);
    expect(removed).not.toHaveBeenCalled();
  });

  it("tells nobody who comes later, not even in the middle of it", () => {
    const ending = new EndingSource();
    const late = vi.fn();
    ending.addEventListener("abort", () => ending.addEventListener("abort", late));
    ending.abort();
    ending.addEventListener("abort", late);
    ending.abort();
    expect(late).not.toHaveBeenCalled();
  });

  it.each(["before", "after"])("has one signal, asked for %s the end", (when) => {
    const ending = new EndingSource();
    const early = when === "before" ? ending.signal : undefined;
    expect(early?.aborted).not.toBe(true);
    ending.abort("why");
    expect(ending.signal).toBe(early ?? ending.signal);
    expect([ending.signal.aborted, ending.signal.reason]).toEqual([true, "why"]);
  });
});
