import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SharedDeadlineTimer, type RequestWithDeadline } from "../src/shared-deadline-timer.ts";

class Request implements RequestWithDeadline {
  deadlineMs: number;
  timerIndex = 0;
  exceededAtMs: number | undefined;

  constructor(timeoutMs: number) {
    this.deadlineMs = performance.now() + timeoutMs;
  }

  exceedDeadline(): void {
    this.exceededAtMs = performance.now();
  }
}

let startMs: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  startMs = performance.now();
});
afterEach(() => vi.useRealTimers());

/** Adds requests with these timeouts to a new timer, in order. */
function addRequests(timeoutsMs: readonly number[]): { timer: SharedDeadlineTimer; requests: Request[] } {
  const timer = new SharedDeadlineTimer();
  const requests = timeoutsMs.map((timeoutMs) => new Request(timeoutMs));
  for (const request of requests) timer.add(request);
  return { timer, requests };
}

const exceededAfterMs = (requests: readonly Request[]): (number | undefined)[] =>
  requests.map(({ exceededAtMs }) => exceededAtMs && exceededAtMs - startMs);

describe("SharedDeadlineTimer", () => {
  it.each([
    ["equal deadlines", [100, 100]],
    ["increasing deadlines", [100, 250, 900]],
    ["decreasing deadlines", [900, 250, 100]],
    ["a deadline after one millisecond", [1]],
  ])("each request ends once at its deadline: %s", (_, timeoutsMs) => {
    const { requests } = addRequests(timeoutsMs);
    vi.advanceTimersByTime(10_000);
    expect(exceededAfterMs(requests)).toEqual(timeoutsMs);
  });

  it("a request without a deadline starts no timer", () => {
    addRequests([Infinity]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("one timer runs for all requests", () => {
    addRequests([100, 200, 300]);
    expect(vi.getTimerCount()).toBe(1);
  });

  it.each([
    ["first", 0, [undefined, 200, 300]],
    ["second", 1, [100, undefined, 300]],
    ["last", 2, [100, 200, undefined]],
  ])("the timer does not end the %s request after its removal", (_, index, expected) => {
    const { timer, requests } = addRequests([100, 200, 300]);
    // The same request may be removed twice.
    for (let count = 0; count < 2; count++)
      for (const request of requests.slice(index, index + 1)) timer.remove(request);
    vi.advanceTimersByTime(10_000);
    expect(exceededAfterMs(requests)).toEqual(expected);
  });

  it("no timer runs after the deadlines of removed requests", () => {
    const { timer, requests } = addRequests([100, 200]);
    for (const request of requests) timer.remove(request);
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a request ends at a deadline that was moved", () => {
    const { timer, requests } = addRequests([100, 1_000]);
    for (const [index, deadlineMs] of [startMs + 500, startMs + 50].entries())
      Object.assign(requests[index] ?? {}, { deadlineMs });
    timer.schedule(startMs + 50);
    vi.advanceTimersByTime(10_000);
    expect(exceededAfterMs(requests)).toEqual([500, 50]);
  });

  it("an error in one request does not prevent the other requests from ending", () => {
    const errors = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => undefined);
    const { requests } = addRequests([100, 100, 200]);
    const failure = new Error("thrown by a handler");
    for (const request of requests.slice(0, 1))
      request.exceedDeadline = () => {
        throw failure;
      };
    vi.advanceTimersByTime(10_000);
    expect(exceededAfterMs(requests)).toEqual([undefined, 100, 200]);
    expect(() => errors.mock.calls[0]?.[0]()).toThrow(failure);
    errors.mockRestore();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("the timer does not prevent the process from exiting", () => {
    vi.useRealTimers();
    const start = vi.spyOn(globalThis, "setTimeout");
    const { timer, requests } = addRequests([60_000]);
    const started = start.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(started.map((each) => each.hasRef())).toEqual([false]);
    for (const request of requests) timer.remove(request);
    start.mockRestore();
  });
});
