import { readFile } from "node:fs/promises";
import { anyAddress, createClient, type ProxyServerSettings } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { http, https } from "@anyscheme/scheme-http";
import { telnet } from "@anyscheme/scheme-others";
import {
  type RunningServer,
  startMicrosocks,
  startNginx,
  startHttpFileTestServer,
  startTinyproxy,
} from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { describe, expect, it } from "vitest";
import { SCHEME_SERVER_STARTERS } from "../fixtures/scheme-server-starters.ts";

const login = { user: "joe", password: "secret" };
const TCP_SCHEMES = Object.entries(SCHEME_SERVER_STARTERS).filter(
  ([name]) => name !== "prospero" && name !== "file",
);

interface ProxyKind {
  readonly name: "tinyproxy" | "microsocks";
  readonly protocol: "http" | "socks5";
  readonly start: (options?: { readonly login?: typeof login }) => Promise<RunningServer>;
}

const KINDS: readonly ProxyKind[] = [
  { name: "tinyproxy", protocol: "http", start: startTinyproxy },
  { name: "microsocks", protocol: "socks5", start: startMicrosocks },
];

for (const { name, protocol, start } of KINDS) {
  describeIfServerAvailable(name, `connections through ${name}`, () => {
    it.each(TCP_SCHEMES)(
      "the scheme %s fetches a content, and fails when the proxy has ended",
      async (_, serve) => {
        const served = await serve();
        const { scheme, contentUrl, allowedPorts } = served;
        await using proxy = await start();
        try {
          await using client = createClient({
            schemes: [scheme],
            policy: anyAddress({ allowPorts: { [scheme.name]: allowedPorts, nntp: allowedPorts } }),
            proxy: `${protocol}://127.0.0.1:${proxy.port}`,
          });
          const fetchText = async (): Promise<string | undefined> => {
            const resource = await client.dereference(contentUrl);
            return resource.kind === "content" ? resource.text() : undefined;
          };
          expect(await fetchText()).toContain("Some bytes, more than a line.");
          await proxy.stop();
          await using other = createClient({
            schemes: [scheme],
            policy: anyAddress({ allowPorts: { [scheme.name]: allowedPorts, nntp: allowedPorts } }),
            proxy: `${protocol}://127.0.0.1:${proxy.port}`,
          });
          await expect(other.dereference(contentUrl)).rejects.toMatchObject({ code: "proxy" });
        } finally {
          await served.stop();
        }
      },
    );

    it("a Telnet session connects through the proxy", async () => {
      await using server = await startScriptedServer(async (peer) => {
        peer.send("login: ");
        peer.send(`hello ${await peer.readLine()}\r\n`);
      });
      await using proxy = await start();
      await using client = createClient({
        schemes: [telnet()],
        policy: anyAddress({ allowPorts: { telnet: [server.port] } }),
        proxy: `${protocol}://127.0.0.1:${proxy.port}`,
      });
      const service = await client.dereference(`telnet://127.0.0.1:${server.port}/`);
      if (service.kind !== "service") throw new Error("not a service");
      const session = await service.connect();
      const writer = session.writable.getWriter();
      await writer.write(new TextEncoder().encode("joe\r\n"));
      let text = "";
      for await (const bytes of session.readable) {
        text += new TextDecoder().decode(bytes);
        if (text.endsWith("joe\r\n")) break;
      }
      expect(text).toBe("login: hello joe\r\n");
    });

    it.each<[string, string, string | undefined]>([
      ["the right login", "joe:secret@", undefined],
      ["a wrong login", "joe:needle@", "proxy"],
      ["no login", "", "proxy"],
    ])(
      "a request through a proxy with a login succeeds only when the client sends the login (%s)",
      async (_, userinfo, code) => {
        await using server = await startHttpFileTestServer({ files: { a: "hello" } });
        await using proxy = await start({ login });
        await using client = createClient({
          schemes: [http()],
          policy: anyAddress(),
          proxy: `${protocol}://${userinfo}127.0.0.1:${proxy.port}`,
        });
        const outcome = client.dereference(`http://127.0.0.1:${server.port}/a`);
        if (code === undefined) {
          const resource = await outcome;
          expect(resource.kind === "content" && (await resource.text())).toBe("hello");
        } else {
          await expect(outcome).rejects.toMatchObject({
            code,
            message: expect.not.stringMatching(/needle/) as string,
          });
        }
      },
    );

    it.each<[string, Partial<ProxyServerSettings>]>([
      ["the client", {}],
      ["the proxy", { resolveBy: "proxy" }],
    ])(
      "a request to a closed port fails with unavailable when %s resolves the host name",
      async (_, settings) => {
        await using closed = await startHttpFileTestServer({ files: {} });
        await using proxy = await start();
        await closed.stop();
        await using client = createClient({
          schemes: [http()],
          policy: anyAddress(),
          proxy: { url: `${protocol}://127.0.0.1:${proxy.port}`, ...settings },
        });
        await expect(client.dereference(`http://localhost:${closed.port}/a`)).rejects.toMatchObject({
          code: "unavailable",
        });
      },
    );

    it("the proxy resolves a name that only the proxy knows", async () => {
      await using server = await startHttpFileTestServer({ files: { a: "hello" } });
      await using proxy = await start();
      await using client = createClient({
        schemes: [http()],
        policy: anyAddress(),
        resolver: () => Promise.reject(new Error("the client must not resolve a name")),
        proxy: { url: `${protocol}://127.0.0.1:${proxy.port}`, resolveBy: "proxy" },
      });
      const resource = await client.dereference(`http://localhost:${server.port}/a`);
      expect(resource.kind === "content" && (await resource.text())).toBe("hello");
    });

    describeIfServerAvailable("nginx", "TLS within the tunnel", () => {
      it("the client verifies the server's certificate, and sends the host name to the server", async () => {
        await using server = await startNginx();
        await using proxy = await start();
        const proxyUrl = `${protocol}://127.0.0.1:${proxy.port}`;
        const ca = await readFile(server.certificatePath, "utf8");
        const url = `https://localhost:${server.tlsPort}/hello.txt`;
        const options = { policy: anyAddress(), proxy: proxyUrl };
        await using client = createClient({ ...options, schemes: [https({ ca })] });
        const resource = await client.dereference(url);
        expect(resource.kind === "content" && (await resource.text())).toBe("hello\n");
        const [request] = await server.loggedRequests(1);
        expect(request?.host).toBe(`localhost:${server.tlsPort}`);
        await using distrustful = createClient({ ...options, schemes: [https()] });
        await expect(distrustful.dereference(url)).rejects.toMatchObject({ certificate: "untrusted" });
      });
    });
  });
}

describeIfServerAvailable("tinyproxy", "the requests that tinyproxy receives", () => {
  it("an FTP data connection goes through the proxy to the address of the control connection", async () => {
    const served = await SCHEME_SERVER_STARTERS["ftp"]?.();
    if (!served) throw new Error("no FTP server");
    await using proxy = await startTinyproxy();
    await using client = createClient({
      schemes: [served.scheme],
      policy: anyAddress(),
      resolver: () => Promise.resolve(["127.0.0.1"]),
      proxy: `http://127.0.0.1:${proxy.port}`,
    });
    const resource = await client.dereference(served.contentUrl);
    if (resource.kind === "content") await resource.bytes();
    const requests = await proxy.loggedRequests();
    expect(requests).toEqual([
      `CONNECT 127.0.0.1:${served.allowedPorts[0]} HTTP/1.1`,
      expect.stringMatching(/^CONNECT 127\.0\.0\.1:\d+ HTTP\/1\.1$/),
    ]);
    await served.stop();
  });

  it("a request to a port that the proxy refuses fails with advice", async () => {
    await using server = await startHttpFileTestServer({ files: { a: "hello" } });
    await using proxy = await startTinyproxy({ connectPorts: [443] });
    await using client = createClient({
      schemes: [http()],
      policy: anyAddress(),
      proxy: `http://127.0.0.1:${proxy.port}`,
    });
    await expect(client.dereference(`http://127.0.0.1:${server.port}/a`)).rejects.toMatchObject({
      code: "proxy",
      reason: `the proxy http://127.0.0.1:${proxy.port} refuses a connection to 127.0.0.1 port ${server.port} (status 403)`,
      advice: "many HTTP proxies allow connections to port 443 only",
    });
  });
});

describe("a scheme with datagrams", () => {
  it("a request of a scheme with datagrams fails instead of bypassing the proxy", async () => {
    const served = await SCHEME_SERVER_STARTERS["prospero"]?.();
    if (!served) throw new Error("no Prospero server");
    await using client = createClient({
      schemes: [served.scheme],
      policy: anyAddress({ allowPorts: { prospero: served.allowedPorts } }),
      proxy: "socks5://127.0.0.1:1080",
    });
    await expect(client.dereference(served.contentUrl)).rejects.toMatchObject({ code: "unsupported" });
    await served.stop();
  });
});
