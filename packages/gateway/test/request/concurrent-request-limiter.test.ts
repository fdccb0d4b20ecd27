import { describe, expect, it } from "vitest";
import { ConcurrentRequestLimiter } from "../../src/request/concurrent-request-limiter.ts";

const HIGH_CONCURRENCY = {
  pages: 9,
  pagesPerClient: 9,
  pagesPerHost: 9,
  downloads: 9,
  downloadsPerClient: 9,
  downloadsPerHost: 9,
};

describe("ConcurrentRequestLimiter limits the number of requests", () => {
  it.each([
    ["pages in total", "page", { pages: 2 }, ["a>x", "b>y"], "c>z", undefined],
    ["pages of a client", "page", { pagesPerClient: 2 }, ["a>x", "a>y"], "a>z", "b>z"],
    ["pages of a host", "page", { pagesPerHost: 2 }, ["a>x", "b>x"], "c>x", "c>y"],
    ["downloads in all", "download", { downloads: 2 }, ["a>x", "b>y"], "c>z", undefined],
    ["downloads of a client", "download", { downloadsPerClient: 2 }, ["a>x", "a>y"], "a>z", "b>z"],
    ["downloads of a host", "download", { downloadsPerHost: 2 }, ["a>x", "b>x"], "c>x", "c>y"],
  ] as const)(
    "the limiter limits the number of concurrent %s",
    (_, kind, limits, running, refused, other) => {
      const limiter = new ConcurrentRequestLimiter({ ...HIGH_CONCURRENCY, ...limits });
      const acquire = (request: string, as: "page" | "download" = kind): (() => void) | undefined => {
        const [client = "", host = ""] = request.split(">");
        return limiter.tryAcquire(as, client, host);
      };
      const [release] = running.map((request) => acquire(request));
      expect(acquire(refused)).toBeUndefined();
      // Pages and downloads have separate limits.
      expect(acquire(refused, kind === "page" ? "download" : "page")).toBeDefined();
      if (other !== undefined) expect(acquire(other)).toBeDefined();
      release?.();
      // A second call of the release function has no effect.
      release?.();
      expect(acquire(refused)).toBeDefined();
      expect(acquire(refused)).toBeUndefined();
    },
  );

  it("the limiter counts requests of a client and requests to a host with the same address separately", () => {
    const limiter = new ConcurrentRequestLimiter({ ...HIGH_CONCURRENCY, pagesPerClient: 1 });
    expect(limiter.tryAcquire("page", "a", "b")).toBeDefined();
    expect(limiter.tryAcquire("page", "b", "a")).toBeDefined();
  });
});
