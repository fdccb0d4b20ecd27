import type { TraceEvent } from "@anyscheme/core";
import { type ServerScript, startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { createServerUrl, createTestClient, getRejectedError, readRequestHead } from "../test-client.ts";

/** Responds to `/cookie` with a cookie and without a body, and to every other path with the path. */
const respondToEveryRequest: ServerScript = async (peer) => {
  for (let [line] = await readRequestHead(peer); line; [line] = await readRequestHead(peer)) {
    const path = line.split(" ")[1] ?? "";
    if (path === "/cookie") peer.send("HTTP/1.1 204 No Content\r\nSet-Cookie: a=1\r\n\r\n");
    else peer.send(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
  }
};

const oneConnection = { limits: { maxConnectionsPerHost: 1 } };

/** The number of trace events of a request that waits for a connection of another request. */
const EVENT_COUNT = 4;

describe("a fault in a callback of one request", () => {
  it.each(Array.from({ length: EVENT_COUNT }, (_, index) => index))(
    "a trace listener that throws at its event %i fails only its own request, and the client closes",
    async (failingIndex) => {
      await using server = await startScriptedServer(respondToEveryRequest);
      const client = createTestClient(oneConnection);
      const events: TraceEvent[] = [];
      const trace = (event: TraceEvent): void => {
        if (events.push(event) > failingIndex) throw new Error("the disk is full");
      };
      const read = async (path: string, options = {}): Promise<string> =>
        (await client.dereference(createServerUrl(server, path), options)).text();
      const [before, faulty, after] = await Promise.allSettled([
        read("/before"),
        read("/faulty", { trace }),
        read("/after"),
      ]);
      expect([before, after].map((result) => result.status === "fulfilled" && result.value)).toEqual([
        "/before",
        "/after",
      ]);
      expect(faulty).toMatchObject({ status: "rejected", reason: { code: "plugin" } });
      await client.close();
    },
  );

  it("a request that waits for a connection has the expected number of trace events", async () => {
    await using server = await startScriptedServer(respondToEveryRequest);
    await using client = createTestClient(oneConnection);
    const events: TraceEvent[] = [];
    const read = async (trace?: (event: TraceEvent) => void): Promise<string> =>
      (await client.dereference(createServerUrl(server, "/x"), trace ? { trace } : {})).text();
    await Promise.all([read(), read((event) => events.push(event))]);
    expect(events).toHaveLength(EVENT_COUNT);
  });

  it("a cookie jar that rejects fails only the request whose response has the cookie", async () => {
    await using server = await startScriptedServer(respondToEveryRequest);
    await using client = createTestClient({
      ...oneConnection,
      cookies: {
        getCookieString: () => Promise.resolve(""),
        setCookie: () => Promise.reject(new Error("the jar is read-only")),
      },
    });
    const withCookie = getRejectedError(client.dereference(createServerUrl(server, "/cookie")));
    const other = client.dereference(createServerUrl(server, "/other"));
    expect(await withCookie).toMatchObject({ code: "plugin" });
    expect(await (await other).text()).toBe("/other");
  });
});
