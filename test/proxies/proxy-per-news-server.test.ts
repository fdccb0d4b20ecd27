import { AccessError, anyAddress, createClient, type ProxySelector } from "@anyscheme/core";
import { news } from "@anyscheme/scheme-others/news";
import { startNntpTestServer, startFixedTargetTunnelProxy } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";

const article = "Message-ID: <one@x.example>\nSubject: s\nNewsgroups: a.b\n\nbody\n";

describe("the proxy of a request with several news servers", () => {
  interface Case {
    readonly title: string;
    /** The indexes of the news servers that the client reaches through a proxy. */
    readonly proxied: readonly number[];
  }
  it.each<Case>([
    { title: "the second server", proxied: [1] },
    { title: "the first server", proxied: [0] },
    { title: "both servers", proxied: [0, 1] },
    { title: "no server", proxied: [] },
  ])("the function of the option proxy chooses a proxy for $title", async ({ proxied }) => {
    await using first = await startNntpTestServer({ groups: { "a.b": { articles: [] } } });
    await using second = await startNntpTestServer({ groups: { "a.b": { articles: [article] } } });
    const ports = [first.port, second.port];
    await using toFirst = await startFixedTargetTunnelProxy(first.port);
    await using toSecond = await startFixedTargetTunnelProxy(second.port);
    const asked: unknown[] = [];
    const proxy: ProxySelector = (url, server) => {
      asked.push([url.href, server?.port]);
      const index = ports.indexOf(server?.port ?? 0);
      return proxied.includes(index) ? `http://127.0.0.1:${[toFirst, toSecond][index]?.port}` : undefined;
    };
    await using client = createClient({
      schemes: [news({ servers: ports.map((port) => ({ host: "127.0.0.1", port })) })],
      policy: anyAddress(),
      proxy,
    });
    for (let count = 0; count < 2; count++) expect(await client.text("news:one@x.example")).toContain("body");
    expect([toFirst.targets.length, toSecond.targets.length]).toEqual(
      [0, 1].map((index) => Number(proxied.includes(index))),
    );
    expect(asked).toEqual([...ports, ...ports].map((port) => ["news:one@x.example", port]));
    // The second request has used the connections of the first.
    expect(second.receivedLines.filter((line) => line === "CAPABILITIES")).toHaveLength(1);
  });

  it("an invalid proxy of the second server fails the request with the code plugin", async () => {
    await using first = await startNntpTestServer({ groups: {} });
    const servers = [first.port, 1].map((port) => ({ host: "127.0.0.1", port }));
    await using client = createClient({
      schemes: [news({ servers })],
      policy: anyAddress(),
      proxy: (_, server) => (server?.port === first.port ? undefined : "no proxy"),
    });
    const failure: unknown = await client.dereference("news:one@x.example").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AccessError);
    expect(failure).toMatchObject({ code: "plugin" });
  });
});
