import { once } from "node:events";
import { AccessError, anyAddress, publicInternet, type TraceEvent } from "@anyscheme/core";
import { fetch as undiciFetch, request, WebSocket } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SERVER_CERTIFICATE_PEM as ca } from "../../scheme-http/test/test-certificates.ts";
import { type GuardedAgent, guardedAgent, type GuardedAgentOptions } from "../src/index.ts";
import {
  getRejectionCause,
  type ReceivedTlsRequest,
  startHttpServer,
  startSecureServer,
  type LoopbackHttpServer,
} from "./http-server.ts";

let server: LoopbackHttpServer;
let secureServer: LoopbackHttpServer;
const secureRequests: ReceivedTlsRequest[] = [];
beforeAll(async () => {
  server = await startHttpServer((incoming, response) => {
    const target = new URL(incoming.url ?? "/", "http://localhost").searchParams.get("to");
    if (target !== null) response.writeHead(302, { location: target });
    response.end(`hello ${incoming.headers.host}`);
  });
  secureServer = await startSecureServer(secureRequests);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await secureServer[Symbol.asyncDispose]();
});

const policy = anyAddress();
const resolver = (name: string): Promise<string[]> =>
  Promise.resolve([name.startsWith("public") ? "192.0.2.1" : "127.0.0.1"]);

describe.each([
  ["the built-in fetch", (url: string, agent: GuardedAgent) => fetch(url, { dispatcher: agent })],
  ["fetch of undici", (url: string, dispatcher: GuardedAgent) => undiciFetch(url, { dispatcher })],
])("guardedAgent under %s", (_, get) => {
  it("guardedAgent fetches from an allowed address, and emits the same trace events as the client", async () => {
    const events: TraceEvent[] = [];
    const agent = guardedAgent({ policy, resolver, trace: (event) => events.push(event) });
    const host = `name.example:${server.port}`;
    const response = await get(`http://${host}/`, agent);
    expect(await response.text()).toBe(`hello ${host}`);
    expect(events).toMatchObject([
      { action: "resolve", text: "name.example is 127.0.0.1", url: `http://${host}/` },
      { action: "connect", text: `127.0.0.1 port ${server.port}`, url: `http://${host}/` },
    ]);
    await agent.close();
  });

  it.each([
    ["http://127.0.0.1/", "refused-address"],
    ["http://2130706433/", "refused-address"],
    ["http://[::ffff:7f00:1]/", "refused-address"],
    ["http://name.example/", "refused-address"],
    ["http://localhost/", "refused-name"],
    ["http://public.example:445/", "refused-port"],
    ["https://169.254.169.254/", "refused-address"],
  ])("guardedAgent refuses the URL %s with the error code %s", async (url, code) => {
    const error = await getRejectionCause(get(url, guardedAgent({ resolver })));
    expect(error).toBeInstanceOf(AccessError);
    expect(error.code).toBe(code);
  });

  it("guardedAgent checks the target of each redirect", async () => {
    const allowAddresses = [{ cidr: "127.0.0.1", port: server.port }];
    const agent = guardedAgent({ policy: publicInternet({ allowAddresses }), resolver });
    const url = (to: string): string => `http://name.example:${server.port}/?to=${encodeURIComponent(to)}`;
    expect((await get(url(`http://other.example:${server.port}/`), agent)).status).toBe(200);
    for (const target of ["http://127.0.0.1/", "http://10.0.0.1/", "http://other.example/"]) {
      expect((await getRejectionCause(get(url(target), agent))).code).toBe("refused-address");
      expect((await getRejectionCause(get(url(url(target)), agent))).code).toBe("refused-address");
    }
    await agent.close();
  });

  it("guardedAgent passes the error of Node.js on when the server is unavailable", async () => {
    const closed = await startHttpServer(() => undefined);
    await closed[Symbol.asyncDispose]();
    const error = await getRejectionCause(get(closed.origin, guardedAgent({ policy })));
    expect(error.code).toBe("ECONNREFUSED");
  });
});

describe("guardedAgent", () => {
  it("guardedAgent looks a name up once for a connection, and reuses the connection only for that name", async () => {
    const answers = [["127.0.0.1"], ["10.0.0.1"], ["10.0.0.2"]];
    const agent = guardedAgent({
      policy: publicInternet({ allowAddresses: ["127.0.0.1"] }),
      limits: { maxConnectionsPerHost: 1 },
      resolver: () => Promise.resolve(answers.shift() ?? []),
    });
    const get = async (name: string): Promise<string> =>
      (await request(`http://${name}:${server.port}/`, { dispatcher: agent })).body.text();
    expect(await get("first.example")).toBe(`hello first.example:${server.port}`);
    expect(await get("first.example")).toBe(`hello first.example:${server.port}`);
    expect((await getRejectionCause(get("second.example"))).code).toBe("refused-address");
    expect(answers).toEqual([["10.0.0.2"]]);
    await agent.close();
  });

  it("guardedAgent guards WebSocket connections", async () => {
    let requests = 0;
    await using tripwire = await startHttpServer((_, response) => response.end(String(++requests)));
    const url = tripwire.origin.replace("http:", "ws:");
    for (const dispatcher of [guardedAgent(), guardedAgent({ policy })])
      await once(new WebSocket(url, { dispatcher }), "error");
    // Only the agent with `policy` reaches the server, which does not support WebSocket.
    expect(requests).toBe(1);
  });

  it.each([
    [{}, "2.0"],
    [{ allowH2: false }, "1.1"],
  ])(
    "guardedAgent with the options %j uses HTTP over TLS in the HTTP version %s",
    async (options, httpVersion) => {
      const agent = guardedAgent({ policy, resolver, ca, ...options });
      secureRequests.length = 0;
      const url = `https://secure.example:${secureServer.port}/`;
      const answers = await Promise.all([1, 2, 3].map(() => request(url, { dispatcher: agent })));
      for (const { body } of answers) expect(await body.text()).toBe("secret");
      expect(new Set(secureRequests.map((each) => each.httpVersion))).toEqual(new Set([httpVersion]));
      expect(secureRequests[0]?.serverName).toBe("secure.example");
      await agent.close();
    },
  );

  it("the built-in fetch works with a server that supports HTTP/2", async () => {
    const agent = guardedAgent({ policy, resolver, ca });
    const response = await fetch(`https://secure.example:${secureServer.port}/`, { dispatcher: agent });
    expect(await response.text()).toBe("secret");
    await agent.close();
  });

  it.each([
    ["other.example", { ca }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["secure.example", {}, "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ])(
    "guardedAgent rejects the certificate of the host %s with the options %j",
    async (host, options, code) => {
      const agent = guardedAgent({ policy, resolver, ...options });
      const error = await getRejectionCause(
        request(`https://${host}:${secureServer.port}/`, { dispatcher: agent }),
      );
      expect(error.code).toBe(code);
    },
  );

  it.each<[object, RegExp]>([
    [{ connect: {} }, /has no option "connect": write ca/],
    [{ connections: 5 }, /write limits: { maxConnectionsPerHost }/],
    [{ headersTimeout: 5 }, /write limits: { firstByteTimeoutMs }/],
    [{ socketPath: "/run/docker.sock" }, /does not connect to Unix domain sockets/],
    [{ limits: { maxRedirects: 2 } }, /has no option "maxRedirects"/],
    [{ limits: { maxBodyBytes: -1 } }, /has to be a number above 0/],
    [{ pipelining: -1 }, /"pipelining" has to be a whole number/],
    [{ policy: anyAddress({ redirectPolicy: publicInternet() }) }, /use a policy without redirectPolicy/],
  ])("guardedAgent rejects the options %j", (options, message) => {
    expect(() => guardedAgent(options as GuardedAgentOptions)).toThrow(TypeError);
    expect(() => guardedAgent(options as GuardedAgentOptions)).toThrow(message);
  });

  it("guardedAgent accepts the options of undici's agent", async () => {
    const agent = guardedAgent({
      policy,
      keepAliveTimeout: 100,
      keepAliveMaxTimeout: 1_000,
      keepAliveTimeoutThreshold: 10,
      pipelining: 1,
      maxOrigins: 1,
      maxRequestsPerClient: 5,
      clientTtl: 1_000,
      strictContentLength: true,
    });
    expect((await request(server.origin, { dispatcher: agent })).statusCode).toBe(200);
    await expect(request("http://127.0.0.2/", { dispatcher: agent })).rejects.toThrow("Maximum");
    await agent.close();
  });
});
