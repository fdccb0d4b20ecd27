import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { get as httpGet, type IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { anyAddress, type ProxyOption, proxyFromEnvironment, publicInternet } from "@anyscheme/core";
import { guardedHttpAgent, guardedHttpsAgent, type GuardOptions } from "@anyscheme/core/http-agent";
import { startForbiddenServer } from "@anyscheme/core/testing";
import {
  type RunningServer,
  startHttpFileTestServer,
  startMicrosocks,
  startNginx,
  startTinyproxy,
} from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { guardedAgent } from "@anyscheme/undici";
import { request } from "undici";
import { describe, expect, it } from "vitest";

interface AgentKind {
  readonly name: string;
  /** Requests a URL with a new guarded agent, and returns the body. Rejects with the error of the guard. */
  readonly fetchText: (url: string, options: GuardOptions & { readonly ca?: string }) => Promise<string>;
}

async function readWithNodeAgent(
  url: string,
  { ca, ...options }: GuardOptions & { readonly ca?: string },
): Promise<string> {
  const isTls = url.startsWith("https:");
  const agent = isTls ? guardedHttpsAgent({ ...options, ca }) : guardedHttpAgent(options);
  try {
    const [response] = (await once((isTls ? httpsGet : httpGet)(url, { agent }), "response")) as [
      IncomingMessage,
    ];
    return Buffer.concat(await response.toArray()).toString();
  } finally {
    agent.destroy();
  }
}

const AGENTS: readonly AgentKind[] = [
  {
    name: "fetch with guardedAgent",
    async fetchText(url, options) {
      const dispatcher = guardedAgent(options);
      try {
        return await (await fetch(url, { dispatcher })).text();
      } catch (error) {
        throw (error as Error).cause;
      } finally {
        await dispatcher.close();
      }
    },
  },
  {
    name: "undici with guardedAgent",
    async fetchText(url, options) {
      const dispatcher = guardedAgent(options);
      try {
        return await (await request(url, { dispatcher })).body.text();
      } finally {
        await dispatcher.close();
      }
    },
  },
  { name: "node:http with guardedHttpAgent", fetchText: readWithNodeAgent },
];

const login = { user: "joe", password: "secret" };
const PROXIES = [
  { name: "tinyproxy", protocol: "http", start: startTinyproxy },
  { name: "microsocks", protocol: "socks5", start: startMicrosocks },
] as const;

for (const { name, protocol, start } of PROXIES) {
  describeIfServerAvailable(name, `agents through ${name}`, () => {
    const urlOf = (proxy: RunningServer, userinfo = ""): string =>
      `${protocol}://${userinfo}127.0.0.1:${proxy.port}`;

    describe.each(AGENTS)("$name", ({ fetchText }) => {
      it("the agent connects through the proxy, and fails with the code proxy when the proxy has ended", async () => {
        await using server = await startHttpFileTestServer({ files: { a: "hello" } });
        await using proxy = await start();
        const options = { policy: anyAddress(), proxy: urlOf(proxy) };
        const url = `http://127.0.0.1:${server.port}/a`;
        expect(await fetchText(url, options)).toBe("hello");
        await proxy.stop();
        await expect(fetchText(url, options)).rejects.toMatchObject({ code: "proxy" });
      });

      it.each<[string, string, string | undefined]>([
        ["the right login", "joe:secret@", undefined],
        ["a wrong login", "joe:needle@", "proxy"],
        ["no login", "", "proxy"],
      ])(
        "the agent connects through a proxy with a login only when it sends the login (%s)",
        async (_, userinfo, code) => {
          await using server = await startHttpFileTestServer({ files: { a: "hello" } });
          await using proxy = await start({ login });
          const options = { policy: anyAddress(), proxy: urlOf(proxy, userinfo) };
          const outcome = fetchText(`http://127.0.0.1:${server.port}/a`, options);
          if (code === undefined) expect(await outcome).toBe("hello");
          else {
            const message = expect.not.stringMatching(/needle/) as string;
            await expect(outcome).rejects.toMatchObject({ code, message });
          }
        },
      );

      it("the guard refuses a server before the proxy receives its address", async () => {
        await using forbidden = await startForbiddenServer();
        await using proxy = await start();
        const options = { policy: publicInternet(), proxy: urlOf(proxy) };
        await expect(fetchText(`http://127.0.0.1:${forbidden.port}/`, options)).rejects.toMatchObject({
          code: "refused-address",
        });
      });

      it("the agent calls the proxy function with the origin, and publicInternet forbids a proxy that resolves names", async () => {
        await using server = await startHttpFileTestServer({ files: { a: "hello" } });
        await using proxy = await start();
        const origins: unknown[] = [];
        const proxyOption: ProxyOption = (url, target) => {
          origins.push([url.href, target]);
          return { url: urlOf(proxy), resolveBy: "proxy" };
        };
        const resolver = (): Promise<string[]> =>
          Promise.reject(new Error("the guard must not resolve a name"));
        const url = `http://localhost:${server.port}`;
        const outcome = fetchText(`${url}/a?b`, { policy: anyAddress(), resolver, proxy: proxyOption });
        expect(await outcome).toBe("hello");
        expect(origins).toEqual([[`${url}/`, { host: "localhost", port: server.port }]]);
        const strict = {
          policy: publicInternet({ allowNames: ["localhost"] }),
          resolver,
          proxy: proxyOption,
        };
        await expect(fetchText(`${url}/a`, strict)).rejects.toMatchObject({
          code: "refused-address",
          message: expect.stringMatching(/^the policy cannot check/) as string,
        });
      });

      it("proxyFromEnvironment selects the proxy", async () => {
        await using server = await startHttpFileTestServer({ files: { a: "hello" } });
        await using proxy = await start();
        const url = `http://127.0.0.1:${server.port}/a`;
        const fetchWith = (no_proxy: string): Promise<string> =>
          fetchText(url, {
            policy: anyAddress(),
            proxy: proxyFromEnvironment({ http_proxy: urlOf(proxy), no_proxy }),
          });
        expect(await fetchWith("")).toBe("hello");
        await proxy.stop();
        await expect(fetchWith("")).rejects.toMatchObject({ code: "proxy" });
        expect(await fetchWith("127.0.0.0/8")).toBe("hello");
      });

      describeIfServerAvailable("nginx", "TLS within the tunnel", () => {
        it("the agent verifies the certificate of the server", async () => {
          await using server = await startNginx();
          await using proxy = await start();
          const url = `https://localhost:${server.tlsPort}/hello.txt`;
          const options = { policy: anyAddress(), proxy: urlOf(proxy) };
          const ca = await readFile(server.certificatePath, "utf8");
          expect(await fetchText(url, { ...options, ca })).toBe("hello\n");
          await expect(fetchText(url, options)).rejects.toMatchObject({
            code: "DEPTH_ZERO_SELF_SIGNED_CERT",
          });
        });
      });
    });
  });
}

describeIfServerAvailable("tinyproxy", "the requests of an agent that tinyproxy receives", () => {
  it.each(AGENTS)("$name sends an address that the guard has checked", async ({ fetchText }) => {
    await using server = await startHttpFileTestServer({ files: { a: "hello" } });
    await using proxy = await startTinyproxy();
    await fetchText(`http://name.example:${server.port}/a`, {
      policy: anyAddress(),
      resolver: () => Promise.resolve(["127.0.0.1"]),
      proxy: `http://127.0.0.1:${proxy.port}`,
    });
    expect(await proxy.loggedRequests()).toEqual([`CONNECT 127.0.0.1:${server.port} HTTP/1.1`]);
  });
});

describe("the agents check the option proxy", () => {
  it.each([
    ["guardedAgent", guardedAgent],
    ["guardedHttpAgent", guardedHttpAgent],
    ["guardedHttpsAgent", guardedHttpsAgent],
  ])("%s refuses an option proxy that is not the URL of a proxy", (name, create) => {
    expect(() => create({ proxy: "ftp://h.example" })).toThrow(
      `${name}: the option "proxy" has to be the URL of a proxy`,
    );
  });
});
