import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import {
  checkServerIdentity,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  guardedHttpAgent,
  guardedHttpsAgent,
  type HttpAgentOptions,
} from "../../src/http-agent/http-agent.ts";
import type { TraceEvent } from "../../src/client/trace.ts";
import { AccessError } from "../../src/errors/access-error.ts";
import { anyAddress, publicInternet } from "../../src/policy/policy.ts";
import { TEST_CERTIFICATE_PEM as ca, TEST_PRIVATE_KEY_PEM } from "../network/test-certificate.ts";
import { catchAccessError } from "../catch-access-error.ts";

let server: http.Server;
let tlsServer: https.Server;
let open: Set<unknown>;
let mostOpen: number;
beforeAll(async () => {
  open = new Set();
  server = http.createServer((request, response) => response.end(`hello ${request.headers.host}`));
  server.on("connection", (socket) => {
    open.add(socket);
    mostOpen = Math.max(mostOpen, open.size);
    socket.on("close", () => open.delete(socket));
  });
  tlsServer = https.createServer({ cert: ca, key: TEST_PRIVATE_KEY_PEM }, (_, response) =>
    response.end("secret"),
  );
  tlsServer.on("tlsClientError", () => undefined);
  for (const each of [server, tlsServer]) {
    each.listen(0, "127.0.0.1");
    await once(each, "listening");
  }
});
afterAll(async () => {
  for (const each of [server, tlsServer]) {
    each.closeAllConnections();
    await new Promise((resolve) => each.close(resolve));
  }
});

const portOf = (of: http.Server | https.Server): number => (of.address() as AddressInfo).port;

/** Requests a URL with an agent, and returns the text of the response. */
async function get(
  url: string,
  agent: http.Agent,
  options: https.RequestOptions & http.RequestOptions = {},
): Promise<string> {
  const { request } = url.startsWith("https:") ? https : http;
  const sent = request(url, { agent, ...options }).end();
  const [response] = (await once(sent, "response")) as [http.IncomingMessage];
  let text = "";
  for await (const bytes of response) text += String(bytes);
  return text;
}

const resolver = (name: string): Promise<string[]> =>
  Promise.resolve([name.startsWith("public") ? "192.0.2.1" : "127.0.0.1"]);
const policy = anyAddress();

describe("guardedHttpAgent opens the connections of node:http", () => {
  it("guardedHttpAgent applies the default of a limit whose value is undefined", async () => {
    const agent = guardedHttpAgent({
      policy,
      resolver: () => Promise.resolve(Array.from({ length: 17 }, () => "127.0.0.1")),
      limits: { maxAddresses: undefined } as object,
    });
    await expect(get(`http://name.example:${portOf(server)}/`, agent)).rejects.toMatchObject({
      code: "limit",
      limit: "maxAddresses",
    });
    agent.destroy();
  });

  it("guardedHttpAgent connects to the checked address, sends the host name, and traces as the client does", async () => {
    const events: TraceEvent[] = [];
    const agent = guardedHttpAgent({ policy, resolver, trace: (event) => events.push(event) });
    const host = `name.example:${portOf(server)}`;
    expect(await get(`http://${host}/`, agent)).toBe(`hello ${host}`);
    expect(events).toMatchObject([
      { action: "resolve", text: "name.example is 127.0.0.1", url: `http://${host}/`, step: undefined },
      { action: "connect", text: `127.0.0.1 port ${portOf(server)}`, url: `http://${host}/` },
    ]);
    agent.destroy();
  });

  it.each([
    ["http://127.0.0.1:1024/", "refused-address"],
    ["http://name.example:1024/", "refused-address"],
    ["http://localhost/", "refused-name"],
    ["http://intranet/", "refused-name"],
    ["http://[::1]/", "refused-address"],
    ["http://public.example:25/", "refused-port"],
    ["http://public.example:6667/", "refused-port"],
  ])("guardedHttpAgent refuses %s by default, with %s", async (url, code) => {
    const agent = guardedHttpAgent({ resolver });
    expect((await catchAccessError(get(url, agent))).code).toBe(code);
    expect(agent.sockets).toEqual({});
  });

  it.each(["0x7f000001", "2130706433", "017700000001", "127.1", "[::1]", "fe80::1%lo", "127.0.0.1 "])(
    "guardedHttpAgent refuses the host %j, which a resolver might read as an address",
    async (host) => {
      const agent = guardedHttpAgent({ resolver: () => Promise.reject(new Error("no look-up is expected")) });
      const request = http.get({ host, port: 80, agent });
      const [error] = (await once(request, "error")) as [AccessError];
      expect(["refused-name", "refused-address"]).toContain(error.code);
    },
  );

  it("guardedHttpAgent looks a name up once for each connection", async () => {
    const answers = [["127.0.0.1"], ["192.0.2.1"]];
    const lookups: string[] = [];
    const agent = guardedHttpAgent({
      policy: publicInternet({ allowAddresses: ["127.0.0.1"] }),
      resolver(name) {
        lookups.push(name);
        return Promise.resolve(answers.shift() ?? []);
      },
    });
    const url = `http://rebinding.example:${portOf(server)}/`;
    expect(await get(url, agent)).toMatch(/^hello/);
    expect(await get(url, agent)).toMatch(/^hello/);
    expect(lookups).toEqual(["rebinding.example"]);
    agent.destroy();
  });

  it("guardedHttpAgent opens at most maxConnectionsPerHost connections to a host", async () => {
    mostOpen = 0;
    const agent = guardedHttpAgent({ policy, limits: { maxConnectionsPerHost: 2 } });
    const url = `http://127.0.0.1:${portOf(server)}/`;
    await Promise.all(Array.from({ length: 20 }, () => get(url, agent)));
    expect(mostOpen).toBe(2);
    agent.destroy();
  });

  it("every request that waits for a refused connection fails", async () => {
    const agent = guardedHttpAgent({ limits: { maxConnectionsPerHost: 2 } });
    const requests = Array.from({ length: 20 }, () => catchAccessError(get("http://127.0.0.1/", agent)));
    expect(new Set((await Promise.all(requests)).map(({ code }) => code))).toEqual(
      new Set(["refused-address"]),
    );
    expect([agent.sockets, agent.requests]).toEqual([{}, {}]);
  });

  it("a request to an unavailable server fails with the error of Node.js", async () => {
    const agent = guardedHttpAgent({ policy });
    const closed = http.createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const port = portOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    await expect(get(`http://127.0.0.1:${port}/`, agent)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("the error for a slow name look-up names the limit dnsTimeoutMs", async () => {
    const resolver = (): Promise<never> => new Promise(() => undefined);
    const agent = guardedHttpAgent({ resolver, limits: { dnsTimeoutMs: 5 } });
    const error = await catchAccessError(get("http://name.example/", agent));
    expect(error).toMatchObject({
      code: "timeout",
      limit: "dnsTimeoutMs",
      advice: "the limit dnsTimeoutMs is 5 ms",
    });
  });

  it.each([
    [{ socketPath: "/run/docker.sock" }, "does not connect to Unix domain sockets"],
    [{ localAddress: "127.0.0.1" }, "does not support the option localAddress"],
  ])("guardedHttpAgent refuses the request option %j", async (options, reason) => {
    const agent = guardedHttpAgent({ policy });
    const error = await catchAccessError(get("http://host.example/", agent, options));
    expect(error).toMatchObject({ code: "unsupported", reason: `an agent with a guard ${reason}` });
    expect(agent.sockets).toEqual({});
  });
});

describe("the open connections of guardedHttpAgent", () => {
  it("an agent without an idle timeout serves one request after another", async () => {
    const agent = guardedHttpAgent({ policy, timeout: Infinity });
    const url = `http://127.0.0.1:${portOf(server)}/`;
    expect(await get(url, agent)).toMatch(/^hello/);
    expect(await get(url, agent)).toMatch(/^hello/);
    agent.destroy();
  });

  it("guardedHttpAgent closes a connection that opens after the agent was destroyed", async () => {
    const { promise: addresses, resolve } = Promise.withResolvers<string[]>();
    const agent = guardedHttpAgent({ policy, resolver: () => addresses });
    const outcome = catchAccessError(get(`http://name.example:${portOf(server)}/`, agent));
    // The agent starts to open the connection after the current turn of the event loop.
    await new Promise((next) => setImmediate(next));
    agent.destroy();
    resolve(["127.0.0.1"]);
    expect(await outcome).toMatchObject({ code: "aborted", reason: "the agent was destroyed" });
    expect([agent.sockets, agent.freeSockets]).toEqual([{}, {}]);
  });
});

describe("guardedHttpsAgent verifies certificates", () => {
  const url = (host: string): string => `https://${host}:${portOf(tlsServer)}/`;

  it("guardedHttpsAgent verifies the certificate for the host name, with the option ca", async () => {
    const agent = guardedHttpsAgent({ policy, resolver, ca });
    expect(await get(url("secure.example"), agent)).toBe("secret");
    expect(await get(url("127.0.0.1"), agent)).toBe("secret");
    agent.destroy();
  });

  it("guardedHttpsAgent verifies the certificate for the request option servername", async () => {
    const events: TraceEvent[] = [];
    const agent = guardedHttpsAgent({ policy, resolver, ca, trace: (event) => events.push(event) });
    expect(await get(url("other.example"), agent, { servername: "secure.example" })).toBe("secret");
    expect(new Set(events.map((event) => event.url))).toEqual(new Set([url("other.example")]));
    agent.destroy();
  });

  it("guardedHttpsAgent offers the protocol http/1.1", async () => {
    const agent = guardedHttpsAgent({ policy, resolver, ca });
    const request = https.get(url("secure.example"), { agent });
    const [socket] = (await once(request, "socket")) as [TLSSocket];
    expect(socket.alpnProtocol).toBe("http/1.1");
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    response.resume();
    await once(response, "end");
    agent.destroy();
  });

  it("guardedHttpsAgent rejects a certificate for another host, and an untrusted certificate", async () => {
    const trusting = guardedHttpsAgent({ policy, resolver, ca });
    await expect(get(url("other.example"), trusting)).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    });
    await expect(get(url("secure.example"), guardedHttpsAgent({ policy, resolver }))).rejects.toMatchObject({
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
  });

  it.each<[string, https.RequestOptions & { secureContext?: SecureContext }]>([
    ["ca", { ca: rootCertificates[0] }],
    ["cert", { cert: ca, key: TEST_PRIVATE_KEY_PEM }],
    ["checkServerIdentity", { checkServerIdentity: () => new Error("another public key") }],
    ["ciphers", { checkServerIdentity, ciphers: "TLS_AES_256_GCM_SHA384" }],
    ["crl", { crl: "" }],
    ["key", { key: TEST_PRIVATE_KEY_PEM }],
    ["maxVersion", { maxVersion: "TLSv1.2" }],
    ["minVersion", { minVersion: "TLSv1.3" }],
    ["passphrase", { passphrase: "" }],
    ["pfx", { pfx: Buffer.alloc(0) }],
    ["secureContext", { secureContext: createSecureContext() }],
    ["secureProtocol", { secureProtocol: "TLSv1_2_method" }],
  ])(
    "guardedHttpsAgent refuses the request option %s, which the guard would not apply",
    async (name, options) => {
      const agent = guardedHttpsAgent({ policy, resolver, ca });
      expect(await catchAccessError(get(url("secure.example"), agent, options))).toMatchObject({
        code: "unsupported",
        reason: `an agent with a guard does not support the request option ${name}`,
        advice: "set ca, cert, key and passphrase as options of the agent",
      });
    },
  );

  it("guardedHttpsAgent accepts the default function checkServerIdentity, which the package got passes", async () => {
    const agent = guardedHttpsAgent({ policy, resolver, ca });
    expect(await get(url("secure.example"), agent, { checkServerIdentity })).toBe("secret");
    agent.destroy();
  });

  it("guardedHttpsAgent refuses to skip the verification of certificates", async () => {
    const agent = guardedHttpsAgent({ policy, resolver });
    const request = get(url("secure.example"), agent, { rejectUnauthorized: false });
    expect(await catchAccessError(request)).toMatchObject({
      code: "unsupported",
      reason: "an agent with a guard always verifies certificates",
      advice: "add the certificate of the issuer with the option ca of the agent",
    });
  });
});

describe("the options of guardedHttpAgent", () => {
  const defaults = {
    keepAlive: true,
    keepAliveMsecs: 1_000,
    maxFreeSockets: 256,
    scheduling: "lifo",
    timeout: 5_000,
    maxSockets: 8,
  };
  it.each<[string, HttpAgentOptions, object]>([
    ["without options", {}, {}],
    ["with keepAlive: false", { keepAlive: false }, { keepAlive: false }],
    ["with keepAliveMsecs", { keepAliveMsecs: 50 }, { keepAliveMsecs: 50 }],
    ["with maxFreeSockets", { maxFreeSockets: 1 }, { maxFreeSockets: 1 }],
    ["with scheduling", { scheduling: "fifo" }, { scheduling: "fifo" }],
    ["with timeout", { timeout: 50 }, { timeout: 50 }],
    ["without an idle timeout", { timeout: Infinity }, { timeout: 0 }],
    ["with maxConnectionsPerHost", { limits: { maxConnectionsPerHost: 1 } }, { maxSockets: 1 }],
  ])("guardedHttpAgent and guardedHttpsAgent set the pool options of Node.js %s", (_, options, changes) => {
    for (const createAgent of [guardedHttpAgent, guardedHttpsAgent])
      expect(createAgent(options)).toMatchObject({ options: { ...defaults, ...changes } });
  });

  it.each([
    [
      { maxSockets: 5 },
      /^guardedHttpAgent has no option "maxSockets": write limits: { maxConnectionsPerHost }/,
    ],
    [{ proxyEnv: {} }, /has no option "proxyEnv": write proxy: proxyFromEnvironment\(\)/],
    [{ lookup: () => undefined }, /has no option "lookup": write resolver: \(name\) => addresses/],
    [
      { rejectUnauthorized: false },
      /has no option "rejectUnauthorized": add the certificate of the issuer with the option ca/,
    ],
    [{ maxFreeSockets: 0 }, /the option "maxFreeSockets" has to be/],
    [{ scheduling: "random" }, /the option "scheduling" has to be "fifo" or "lifo"/],
    [{ limits: 5 }, /"limits" has to be an object of limits, such as { maxRedirects: 2 }, and not 5/],
    [{ limits: { maxBodyBytes: 5 } }, /has no option "maxBodyBytes"/],
    [{ limits: { connectTimeoutMs: 0 } }, /connectTimeoutMs" has to be a number above 0/],
    [{ policy: {} }, /the option "policy" has to be a policy/],
    [{ ca: "" }, /has no option "ca"/],
  ])("guardedHttpAgent rejects %j", (options, message) => {
    expect(() => guardedHttpAgent(options as object)).toThrow(message);
  });

  it.each([
    [{ maxSockets: 5 }, /guardedHttpsAgent has no option "maxSockets": write limits: /],
    [{ ca: 1 }, /guardedHttpsAgent: the option "ca" has to be/],
    [{ passphrase: 1 }, /guardedHttpsAgent: the option "passphrase" has to be/],
  ])("guardedHttpsAgent rejects %j", (options, message) => {
    expect(() => guardedHttpsAgent(options as object)).toThrow(message);
  });

  it("guardedHttpAgent rejects a policy with redirectPolicy, because an agent does not see redirects", () => {
    const redirectPolicy = publicInternet();
    expect(() => guardedHttpAgent({ policy: anyAddress({ redirectPolicy }) })).toThrow(
      "use a policy without redirectPolicy",
    );
  });

  it("guardedHttpAgent ignores the TLS options of a request", async () => {
    const agent = guardedHttpAgent({ policy });
    const url = `http://127.0.0.1:${portOf(server)}/`;
    expect(await get(url, agent, { ca, minVersion: "TLSv1.3" } as http.RequestOptions)).toMatch(/^hello/);
    agent.destroy();
  });

  it("the error of a refused connection is an AccessError", async () => {
    const request = get("http://127.0.0.1/", guardedHttpAgent());
    await expect(request).rejects.toBeInstanceOf(AccessError);
  });
});
