import { describe, expect, it } from "vitest";
import { connectTo, getGuardedSocketInfo } from "../../../src/network/connect.ts";
import { openDatagramSocket } from "../../../src/network/udp.ts";
import { anyAddress, publicInternet } from "../../../src/policy/policy.ts";
import { ParsedProxyServerSettings } from "../../../src/network/proxy/proxy-settings.ts";
import { startForbiddenServer } from "../../../src/testing/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import {
  createRecordingConnectionContext,
  type RecordingConnectionContext,
} from "../recording-connection-context.ts";
import { createConnectionContextWithProxy, startProxyWithSilentTunnel } from "./scripted-proxy.ts";

const HTTP = { scheme: "x-web", defaultPort: 80, portRange: "default" } as const;

describe("the rules of the guard for the server behind a proxy", () => {
  it.each([
    ["refused-address", "127.0.0.1", 80, [], {}],
    ["refused-address", "169.254.169.254", 80, [], {}],
    ["refused-address", "www.example", 80, ["10.0.0.1"], {}],
    ["refused-address", "www.example", 80, ["93.184.216.34", "::1"], {}],
    ["refused-name", "localhost", 80, [], {}],
    ["refused-port", "www.example", 25, ["93.184.216.34"], {}],
    ["refused-address", "www.example", 80, ["93.184.216.34"], { resolveBy: "proxy" }],
    ["refused-address", "127.0.0.1", 80, [], { resolveBy: "proxy" }],
    ["refused-name", "localhost", 80, [], { resolveBy: "proxy" }],
    ["refused-port", "www.example", 25, [], { resolveBy: "proxy" }],
  ] as const)(
    "a proxied connection fails with %s for the host %s, the port %i and the addresses %j",
    async (code, host, port, answers, by) => {
      await using proxy = await startForbiddenServer();
      const policy = publicInternet();
      const context = createConnectionContextWithProxy(proxy, by, {
        policy,
        resolverAnswer: answers,
        schemePorts: HTTP,
      });
      expect((await catchAccessError(connectTo(context, { host, port }))).code).toBe(code);
      expect(proxy.connections).toEqual([]);
    },
  );

  it("the guard resolves the host name once, and the proxy receives only an address", async () => {
    await using proxy = await startProxyWithSilentTunnel();
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ["93.184.216.34"], schemePorts: HTTP },
    );
    (await connectTo(context, { host: "www.example", port: 80 })).destroy();
    expect(context.lookedUpHosts).toEqual(["www.example"]);
    expect(String(proxy.connections[0]?.received)).not.toContain("www.example");
  });
});

describe("the proxy resolves the names of the servers", () => {
  const policies = [anyAddress(), publicInternet({ allowProxyResolution: true })];
  it.each(policies)(
    "the proxy receives the host name if the policy has allowProxyResolution",
    async (policy) => {
      await using proxy = await startProxyWithSilentTunnel();
      const checked: (readonly string[])[] = [];
      const context = createConnectionContextWithProxy(
        proxy,
        { resolveBy: "proxy" },
        { policy, schemePorts: HTTP, onAddressesChecked: (addresses) => checked.push(addresses) },
      );
      const socket = await connectTo(context, { host: "www.example", port: 80 });
      expect(String(proxy.connections[0]?.received)).toMatch(/^CONNECT www\.example:80 HTTP/);
      expect(context.lookedUpHosts).toEqual([]);
      // No address is known, so the server counts as public.
      expect(checked).toEqual([[]]);
      expect(getGuardedSocketInfo(socket)?.host).toBe("www.example");
      socket.destroy();
    },
  );

  it.each([
    ["anyAddress", anyAddress({ allowProxyResolution: false })],
    ["the redirectPolicy publicInternet", anyAddress({ redirectPolicy: publicInternet() })],
  ])(
    "%s without allowProxyResolution refuses a host name that the proxy would resolve",
    async (_, requestPolicy) => {
      await using proxy = await startForbiddenServer();
      const policySelectionInput = {
        requestPolicy,
        targetNamedBy: "server",
        referringServerNetwork: "private",
      } as const;
      const context = createConnectionContextWithProxy(
        proxy,
        { resolveBy: "proxy" },
        { policySelectionInput, schemePorts: HTTP },
      );
      const error = await catchAccessError(connectTo(context, { host: "www.example", port: 80 }));
      expect(error).toMatchObject({
        code: "refused-address",
        reason:
          "the policy cannot check the addresses of www.example, because the proxy would resolve the name",
        advice: expect.stringContaining("allowProxyResolution: true") as string,
      });
      expect(proxy.connections).toEqual([]);
    },
  );
});

describe("the address of the proxy", () => {
  const createContextFor = (url: string, policy = publicInternet()): RecordingConnectionContext => ({
    ...createRecordingConnectionContext({
      policy,
      schemePorts: HTTP,
      proxy: new ParsedProxyServerSettings({ url }),
    }),
    resolver: (name) => Promise.resolve([name === "www.example" ? "93.184.216.34" : "127.0.0.1"]),
  });

  it.each(["127.0.0.1", "localhost", "proxy.internal"])(
    "the address of the proxy may be private, because the caller has chosen the proxy: %s",
    async (host) => {
      await using proxy = await startProxyWithSilentTunnel();
      const context = createContextFor(`http://${host}:${proxy.port}`);
      (await connectTo(context, { host: "www.example", port: 80 })).destroy();
      expect(proxy.connections).toHaveLength(1);
    },
  );

  it.each([
    ["refused-port", "http://127.0.0.1:22"],
    ["refused-port", "http://127.0.0.1:6000"],
    ["refused-port", "socks5://127.0.0.1:443"],
    ["refused-name", "socks5://127.1"],
  ])("a request fails with %s for the proxy %s", async (code, url) => {
    const context = createContextFor(url);
    const error = await catchAccessError(connectTo(context, { host: "www.example", port: 80 }));
    expect(error.code).toBe(code);
    expect(context.sockets).toEqual([]);
  });

  it("the option allowPorts of the policy also allows the port of the proxy", async () => {
    const context = createContextFor("http://127.0.0.1:99", publicInternet({ allowPorts: { http: [99] } }));
    expect((await catchAccessError(connectTo(context, { host: "www.example", port: 80 }))).code).toBe(
      "proxy",
    );
  });

  it("the address of the proxy does not count as an address of the server", async () => {
    await using proxy = await startProxyWithSilentTunnel();
    const checked: (readonly string[])[] = [];
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      {
        resolverAnswer: ["93.184.216.34"],
        schemePorts: HTTP,
        onAddressesChecked: (addresses) => checked.push(addresses),
      },
    );
    (await connectTo(context, { host: "www.example", port: 80 })).destroy();
    expect(checked).toEqual([["93.184.216.34"]]);
  });
});

describe("further connections of a request", () => {
  it("a data connection goes through the proxy of its control connection, to the same address", async () => {
    await using proxy = await startProxyWithSilentTunnel();
    const context = createConnectionContextWithProxy(proxy, {}, { resolverAnswer: ["93.184.216.34"] });
    const control = await connectTo(context, { host: "ftp.example", port: 7 });
    const withoutProxy = { ...context, proxy: undefined };
    const data = await connectTo(withoutProxy, { samePeerAs: control, port: 50_000 });
    expect(proxy.connections.map(({ received }) => String(received).split("\r\n")[0])).toEqual([
      "CONNECT 93.184.216.34:7 HTTP/1.1",
      "CONNECT 93.184.216.34:50000 HTTP/1.1",
    ]);
    for (const socket of [control, data]) socket.destroy();
  });

  it("a data connection to a port that the server may not choose is refused", async () => {
    await using proxy = await startProxyWithSilentTunnel();
    const context = createConnectionContextWithProxy(proxy, {}, { resolverAnswer: ["93.184.216.34"] });
    const control = await connectTo(context, { host: "ftp.example", port: 7 });
    const error = await catchAccessError(connectTo(context, { samePeerAs: control, port: 80 }));
    expect(error.code).toBe("refused-port");
    expect(proxy.connections).toHaveLength(1);
    control.destroy();
  });

  it("datagrams do not bypass the proxy", async () => {
    await using proxy = await startForbiddenServer();
    const context = createConnectionContextWithProxy(proxy);
    expect(await catchAccessError(openDatagramSocket(context, { host: "127.0.0.1", port: 7 }))).toMatchObject(
      {
        code: "unsupported",
        reason: "a protocol with datagrams (UDP) cannot use a proxy",
      },
    );
    expect(context.datagramHandles.size).toBe(0);
  });
});
