import { describe, expect, it, vi } from "vitest";
import { EndingSource } from "../../src/network/ending.ts";

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

  it("tells a listener that was added twice once, and not when it was taken away", () => {
    const ending = new EndingSource();
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
    for (const listener of [first, first, second, third]) ending.addEventListener("abort", listener);
    ending.removeEventListener("abort", vi.fn());
    ending.removeEventListener("abort", first);
    ending.removeEventListener("abort", third);
    ending.removeEventListener("abort", third);
    ending.abort();
    expect([first, second, third].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
    const other = new EndingSource();
    for (const listener of [first, first]) other.addEventListener("abort", listener);
    other.abort();
    expect(first).toHaveBeenCalledTimes(1);
  });

  it("tells nobody whom it was told to forget", () => {
    const ending = new EndingSource();
    const [before, after] = [vi.fn(), vi.fn()];
    ending.addEventListener("abort", before);
    ending.forget();
    ending.addEventListener("abort", after);
    ending.abort();
    expect([before, after].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
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
