import {
  anyAddress,
  createClient,
  type ProxyOption,
  type ProxySelector,
  publicInternet,
} from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { http } from "@anyscheme/scheme-http";
import { startHttpFileTestServer, startFixedTargetTunnelProxy } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";

const files = { a: "hello" };
const resolver = (): Promise<readonly string[]> => Promise.resolve(["93.184.216.34"]);
const url = "http://www.example/a";

describe("the pool of connections through proxies", () => {
  it("the client reuses a connection only through the same proxy with the same login", async () => {
    await using server = await startHttpFileTestServer({ files });
    await using one = await startFixedTargetTunnelProxy(server.port);
    await using two = await startFixedTargetTunnelProxy(server.port);
    await using client = createClient({ schemes: [http()], resolver });
    const get = async (proxy: ProxyOption): Promise<void> => {
      const resource = await client.dereference(url, { proxy });
      expect(resource.kind === "content" && (await resource.text())).toBe("hello");
    };
    const counts = (): number[] => [one.targets.length, two.targets.length];
    const [first, second] = [`http://127.0.0.1:${one.port}`, `http://127.0.0.1:${two.port}`];
    await get(first);
    await get(() => first);
    await get({ url: `${first}/` });
    expect(counts()).toEqual([1, 0]);
    await get(second);
    await get(second);
    await get(first);
    expect(counts()).toEqual([1, 1]);
    await get(`http://joe:secret@127.0.0.1:${one.port}`);
    await get(`http://joe:other@127.0.0.1:${one.port}`);
    expect(counts()).toEqual([3, 1]);
  });

  it("the client does not reuse a connection through a proxy for a request without a proxy", async () => {
    await using server = await startHttpFileTestServer({ files });
    await using proxy = await startFixedTargetTunnelProxy(server.port);
    const policy = anyAddress();
    await using client = createClient({ schemes: [http()], policy, proxy: `http://127.0.0.1:${proxy.port}` });
    const local = `http://127.0.0.1:${server.port}/a`;
    const get = async (option?: ProxyOption): Promise<unknown> => {
      const resource = await client.dereference(local, { proxy: option });
      return resource.kind === "content" && resource.text();
    };
    expect([await get(), await get(() => undefined), await get()]).toEqual(["hello", "hello", "hello"]);
    expect(proxy.targets).toEqual([`127.0.0.1:${server.port}`]);
  });
});

describe("redirects through a proxy", () => {
  /** Starts a server that redirects each request of a connection to `target`, except the first request. */
  const startRedirector = (target: string): ReturnType<typeof startScriptedServer> =>
    startScriptedServer(async (peer) => {
      for (let count = 0; (await peer.readLine()) !== undefined; count++) {
        while ((await peer.readLine()) !== "");
        peer.send(
          count === 0
            ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            : `HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`,
        );
      }
    });

  it("a public server behind a local proxy cannot redirect to this machine, on a reused connection either", async () => {
    await using secret = await startHttpFileTestServer({ files: { a: "secret" } });
    await using server = await startRedirector(`http://127.0.0.1:${secret.port}/a`);
    await using proxy = await startFixedTargetTunnelProxy(server.port);
    await using client = createClient({
      schemes: [http()],
      resolver,
      policy: anyAddress({ redirectPolicy: publicInternet() }),
      proxy: `http://127.0.0.1:${proxy.port}`,
    });
    const first = await client.dereference(url);
    expect(first.kind === "content" && (await first.text())).toBe("hello");
    await expect(client.dereference(url)).rejects.toMatchObject({ code: "refused-address" });
    expect(proxy.targets).toEqual(["93.184.216.34:80"]);
  });

  it("the function of the option proxy is called with the URL and the server of each hop", async () => {
    await using server = await startHttpFileTestServer({
      files,
      redirects: { "/b": { status: 302, location: "http://other.example/a" } },
    });
    await using proxy = await startFixedTargetTunnelProxy(server.port);
    const calls: string[] = [];
    await using client = createClient({
      schemes: [http()],
      resolver,
      proxy(requested, target) {
        calls.push(`${requested.href} ${target?.host} ${target?.port}`);
        return `http://127.0.0.1:${proxy.port}`;
      },
    });
    const resource = await client.dereference("http://www.example/b");
    expect(resource.kind === "content" && (await resource.text())).toBe("hello");
    expect(calls).toEqual(["http://www.example/b www.example 80", "http://other.example/a other.example 80"]);
    expect(proxy.targets).toEqual(["93.184.216.34:80", "93.184.216.34:80"]);
  });

  it.each<[string, ProxySelector, string]>([
    [
      "throws",
      (): never => {
        throw new Error("no proxy today");
      },
      "plugin",
    ],
    ["returns no proxy URL", (): string => "needle", "plugin"],
    ["returns an object", (): never => ({ needle: 1 }) as never, "plugin"],
  ])("a request fails when the function of the option proxy %s", async (_, proxy, code) => {
    await using client = createClient({ schemes: [http()], resolver, proxy });
    await expect(client.dereference(url)).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining("needle") as string,
    });
  });
});
