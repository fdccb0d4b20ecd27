import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import type { GatewaysByScheme } from "../../../src/client/scheme-gateways.ts";
import type { ClientOptions } from "../../../src/client/options.ts";
import { publicInternet, anyAddress } from "../../../src/policy/policy.ts";
import type { Resource } from "../../../src/scheme/resource.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import { type LoopbackServer, startScriptedServer } from "../../../src/testing/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createRedirectingScheme, createPathLineScheme } from "../test-schemes.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Starts a server that returns the requested path, or the result of `answer`. */
async function startGatewayServer(
  answer = (path: string): string => path,
): Promise<LoopbackServer & { asked: string[] }> {
  const asked: string[] = [];
  const server = await startScriptedServer(async (peer) => {
    const path = (await peer.readLine()) ?? "";
    asked.push(path);
    peer.send(`${answer(path)}\n`);
  });
  stops.push(() => server.stop());
  return Object.assign(server, { asked });
}

const gatewayTestSchemes = [
  createPathLineScheme("x-line"),
  createRedirectingScheme("x-hop"),
  createPathLineScheme("x-gw"),
];

function createGatewayClient(
  gateways: GatewaysByScheme,
  options: Partial<ClientOptions> = {},
): ReturnType<typeof createClient<Scheme>> {
  const client = createClient<Scheme>({
    policy: anyAddress(),
    ...options,
    schemes: gatewayTestSchemes,
    gateways,
  });
  stops.push(() => client.destroy());
  return client;
}

const createGatewayLocator = (server: LoopbackServer, place = "get?{url}"): string =>
  `x-gw://127.0.0.1:${server.port}/${place}`;

async function readResourceText(resource: Resource): Promise<string> {
  return resource.kind === "content" ? (await resource.text()).trim() : resource.kind;
}

describe("a gateway of a client", () => {
  it.each([
    ["an unregistered scheme", "wais://h.example/db?a+b", "get?{url}", "get?wais://h.example/db?a+b"],
    ["a scheme name in upper case", "WAIS://h.example/db", "get?{url}", "get?WAIS://h.example/db"],
    ["the URL in the form of RFC 1738", "wais://h.example/d%2Fb#f", "{+url}", "wais://h.example/d/b"],
    ["a URL template with two placeholders", "wais:x", "{url}&{url}", "wais:x&wais:x"],
  ])("a gateway receives the URL in place of {url}: %s", async (_, url, place, asked) => {
    const gateway = await startGatewayServer();
    const client = createGatewayClient({ Wais: createGatewayLocator(gateway, place) });
    const resource = await client.dereference(url);
    expect(await readResourceText(resource)).toBe(asked);
    expect(resource.redirectChain.map((hop) => [hop.fromUrl.href, hop.reason])).toEqual([[url, "gateway"]]);
    expect(resource.url.scheme).toBe("x-gw");
  });

  it("{url} in a gateway's URL template is replaced by the escaped URL", () => {
    const client = createGatewayClient({ wais: "x-gw://gw.example/?url={url}&x" });
    const { steps } = client.plan("wais://h.example/db?a&b=%26/c");
    expect(steps[0]).toMatchObject({ action: "redirect", spec: "4" });
    expect(steps[0]?.description).toBe(
      "to the gateway: x-gw://gw.example/?url=wais%3A%2F%2Fh.example%2Fdb%3Fa%26b%3D%2526%2Fc&x",
    );
    expect(steps.slice(1).map(({ action }) => action)).toEqual(["resolve", "connect", "send", "transfer"]);
  });

  it.each([
    ["the method POST", { method: "POST" }],
    ["the method POST", { method: "POST", body: "a" }],
    ["a body", { body: "a" }],
    ["a body", { method: "get", body: "" }],
  ])("the client refuses to send a request with %s to a gateway: %j", async (what, options: object) => {
    const gateway = await startGatewayServer();
    const url = "x-line://127.0.0.1:1/own";
    const always = createGatewayClient({ "x-line": createGatewayLocator(gateway) });
    expect(await catchAccessError(always.dereference(url, options))).toMatchObject({
      code: "unsupported",
      reason: `a gateway cannot perform a request with ${what}`,
    });
    expect(() => always.plan(url, options)).toThrow(`a gateway cannot perform a request with ${what}`);
    const policy = anyAddress({ allowPorts: { "x-line": [1] } });
    const spare = createGatewayClient(
      { "x-line": { urlTemplate: createGatewayLocator(gateway), when: "unavailable" } },
      { policy },
    );
    expect(await catchAccessError(spare.dereference(url, options))).toMatchObject({ code: "unavailable" });
    expect(gateway.asked).toEqual([]);
  });

  it("a gateway is used always, or only for an unregistered scheme", async () => {
    const [gateway, server] = [await startGatewayServer(), await startGatewayServer()];
    const url = `x-line://127.0.0.1:${server.port}/own`;
    const always = createGatewayClient({ "x-line": createGatewayLocator(gateway, "gw") + "{url}" });
    expect(await readResourceText(await always.dereference(url))).toContain("gwx-line://");
    const spare = createGatewayClient({
      "x-line": { urlTemplate: createGatewayLocator(gateway), when: "unregistered" },
    });
    expect(await readResourceText(await spare.dereference(url))).toBe("own");
    expect(spare.plan(url).steps.map(({ action }) => action)).not.toContain("redirect");
    expect(server.asked).toEqual(["own"]);
  });

  it('a gateway with when: "unavailable" is used only when the server cannot be reached', async () => {
    const gateway = await startGatewayServer();
    const gone = await startGatewayServer();
    await gone.stop();
    const client = createGatewayClient({
      "x-line": { urlTemplate: createGatewayLocator(gateway), when: "unavailable" },
    });
    const url = `x-line://127.0.0.1:${gone.port}/a`;
    expect(await readResourceText(await client.dereference(url))).toBe(`get?${url}`);
    expect((await catchAccessError(client.dereference("x-line://127.0.0.1:21/a%0D"))).code).toBe(
      "refused-characters",
    );
    expect(gateway.asked.length).toBe(1);
  });

  it("the policy of the request applies to the gateway", async () => {
    const gateway = await startGatewayServer();
    const client = createGatewayClient({ wais: createGatewayLocator(gateway) }, { policy: publicInternet() });
    expect((await catchAccessError(client.dereference("wais://h.example/db"))).code).toBe("refused-address");
    expect(gateway.asked).toEqual([]);
  });

  it.each(["wais://u@h.example/db", "wais://u:p@h.example/db"])(
    "a gateway never receives a URL with a login: %s",
    async (url) => {
      const gateway = await startGatewayServer();
      const client = createGatewayClient({ wais: createGatewayLocator(gateway) });
      const failure = await catchAccessError(client.dereference(url));
      expect(failure.code).toBe("refused-redirect");
      expect(failure.message).not.toContain(":p@");
      expect(gateway.asked).toEqual([]);
    },
  );

  it("a gateway receives neither the request options nor the credentials", async () => {
    const gateway = await startGatewayServer();
    const client = createGatewayClient(
      { wais: createGatewayLocator(gateway) },
      { credentials: () => ({ password: "needle" }) },
    );
    await readResourceText(await client.dereference("wais://h.example/db", { headerName: "needle" }));
    expect(gateway.asked.join()).not.toContain("needle");
  });

  it("a gateway serves the target of a redirect", async () => {
    const gateway = await startGatewayServer();
    const start = await startGatewayServer(() => "GO wais://h.example/db");
    const client = createGatewayClient(
      { wais: createGatewayLocator(gateway) },
      { policy: anyAddress({ allowSchemeRedirects: { "x-hop": ["wais"] } }) },
    );
    const resource = await client.dereference(`x-hop://127.0.0.1:${start.port}/s`);
    expect(resource.redirectChain.map(({ reason }) => reason)).toEqual(["redirect", "gateway"]);
    expect(await readResourceText(resource)).toBe("get?wais://h.example/db");
  });

  it("client.delete uses no gateway", async () => {
    const gateway = await startGatewayServer();
    const client = createGatewayClient({ "x-line": createGatewayLocator(gateway) });
    expect((await catchAccessError(client.delete("x-line://h.example/a"))).code).toBe("unsupported");
    expect(gateway.asked).toEqual([]);
  });

  it.each([
    ["without {url}", "x-gw://h.example/"],
    ["that is not a URL", "gw.example/{url}"],
    ["which is not registered", "x-none://h.example/{url}"],
    ["has a login", "x-gw://u:needle@h.example/{url}"],
  ])("createClient rejects a gateway whose URL template is wrong: %s", (what, text) => {
    expect(() => createGatewayClient({ wais: text })).toThrow(TypeError);
    expect(() => createGatewayClient({ wais: text })).toThrow(what);
    expect(() => createGatewayClient({ wais: text })).not.toThrow("needle");
  });

  it("createClient rejects a gateway with an unknown value of when", () => {
    const when = "sometimes" as "always";
    expect(() => createGatewayClient({ wais: { urlTemplate: "x-gw://h.example/{url}", when } })).toThrow(
      TypeError,
    );
  });
});
