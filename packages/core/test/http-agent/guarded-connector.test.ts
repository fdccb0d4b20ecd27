import { describe, expect, it } from "vitest";
import type { TraceEvent } from "../../src/client/trace.ts";
import { createGuardedConnector, type HttpConnectionTarget } from "../../src/http-agent/guarded-connector.ts";
import { guardedHttpAgent } from "../../src/http-agent/http-agent.ts";
import { anyAddress } from "../../src/policy/policy.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import type { InternetUrl } from "../../src/syntax/index.ts";
import { catchAccessError } from "../catch-access-error.ts";

describe("the URL and the server that a proxy function receives from a guard", () => {
  it.each<[HttpConnectionTarget, string, number]>([
    [{ scheme: "http", host: "name.example" }, "http://name.example/", 80],
    [{ scheme: "http", host: "name.example", port: 8080 }, "http://name.example:8080/", 8080],
    [{ scheme: "https", host: "name.example" }, "https://name.example/", 443],
    [{ scheme: "https", host: "name.example", port: 443 }, "https://name.example/", 443],
    [{ scheme: "https", host: "name.example", port: 80 }, "https://name.example:80/", 80],
    [{ scheme: "http", host: "::1" }, "http://[::1]/", 80],
  ])(
    "the guard calls the proxy function for the target %j with the URL %s and the port %i",
    async (target, href, port) => {
      const calls: unknown[] = [];
      const guard = createGuardedConnector({
        resolver: () => Promise.resolve(["127.0.0.1"]),
        proxy(url, server) {
          const { effectivePort, deviations } = url as InternetUrl;
          calls.push({ href: url.href, effectivePort, deviations, server });
          return undefined;
        },
      });
      const error = await catchAccessError(guard.connect(target));
      expect(error.code).toBe(port === 80 && target.scheme === "https" ? "refused-port" : "refused-address");
      expect(calls).toEqual([
        { href, effectivePort: port, deviations: [], server: { host: target.host, port } },
      ]);
    },
  );
});

describe("the option resolver of a guard", () => {
  it("a resolver that is no function is refused with the expected type", () => {
    expect(() => guardedHttpAgent({ resolver: "8.8.8.8" as never })).toThrow(
      'the option "resolver" has to be a function that returns addresses, as async (host) => ["192.0.2.1"], and not a string',
    );
  });

  it("an answer of the resolver that is no array of texts is refused with advice", async () => {
    const guard = createGuardedConnector({
      resolver: () => Promise.resolve([{ address: "8.8.8.8" }] as never),
    });
    const error = await catchAccessError(guard.connect({ scheme: "http", host: "name.example" }));
    expect({ code: error.code, reason: error.reason }).toEqual({
      code: "plugin",
      reason: "the callback resolver returned an array with an object, and not addresses",
    });
    expect(error.advice).toContain("found.map(({ address }) => address)");
  });
});

describe("a connection of a guard", () => {
  it("the trace has the milliseconds since the start of the connection", async () => {
    await using server = await startScriptedServer((peer) => peer.closed);
    const events: TraceEvent[] = [];
    const guard = createGuardedConnector({ policy: anyAddress(), trace: (event) => events.push(event) });
    const startMs = performance.now();
    const socket = await guard.connect({ scheme: "http", host: "127.0.0.1", port: server.port });
    const [event] = events;
    expect(event?.atMs).toBeGreaterThanOrEqual(0);
    expect(event?.atMs).toBeLessThanOrEqual(performance.now() - startMs);
    socket.destroy();
  });

  it("a late error of the connection does not end the process", async () => {
    await using server = await startScriptedServer((peer) => peer.closed);
    const guard = createGuardedConnector({ policy: anyAddress() });
    const socket = await guard.connect({ scheme: "http", host: "127.0.0.1", port: server.port });
    expect(() => socket.emit("error", new Error("late"))).not.toThrow();
    socket.destroy();
  });
});
