import { AccessError, anyAddress, createClient } from "@anyscheme/core";
import type { CredentialRequestEvent } from "@anyscheme/core/plugin";
import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { nntp } from "@anyscheme/scheme-others/nntp";
import { describe, expect, it } from "vitest";

const BASIC = 'Basic realm="r"';
const DIGEST = 'Digest realm="r", nonce="n", qop="auth"';

interface LoginServer extends LoopbackServer {
  /** The paths of the requests with an Authorization header. */
  readonly authorized: string[];
}

/** Starts an HTTP server that redirects by `locations`, and demands a login for other paths. */
async function startLoginServer(
  locations: Readonly<Record<string, string>> = {},
  challenge = BASIC,
): Promise<LoginServer> {
  const authorized: string[] = [];
  const server = await startScriptedServer(async (peer) => {
    for (;;) {
      const head = await readHead(peer);
      if (head.length === 0) return;
      const [, path = ""] = head[0]?.split(" ") ?? [];
      const location = locations[path];
      const isAuthorized = head.some((line) => line.startsWith("authorization: "));
      if (isAuthorized) authorized.push(path);
      const status = location !== undefined ? "302 X" : isAuthorized ? "200 X" : "401 X";
      const line = location === undefined ? `WWW-Authenticate: ${challenge}` : `Location: ${location}`;
      peer.send(`HTTP/1.1 ${status}\r\n${line}\r\nContent-Length: 0\r\n\r\n`);
    }
  });
  return Object.assign(server, { authorized });
}

async function readHead(peer: ScriptedPeer): Promise<string[]> {
  const head: string[] = [];
  for (let line = await peer.readLine(); line; line = await peer.readLine()) head.push(line);
  return head;
}

const login = { user: "joe", password: "sesame" };
const giveLogin = () => login;
const giveLoginToEveryOrigin = () => ({ ...login, crossOrigin: true });

const schemes = [http(), ftp(), nntp()];
const policy = anyAddress({ allowSchemeRedirects: { http: ["ftp", "nntp"] } });
const createTestClient = (credentials?: () => typeof login) => createClient({ schemes, policy, credentials });

type Credentials = () => typeof login & { crossOrigin?: boolean };

type Run = (url: string, origin: string, credentials: Credentials, options: object) => Promise<unknown>;

/**
 * The ways to set the option `credentials`, each with a request to `url`. The parameter `origin` is the `baseUrl` of an
 * extended client.
 */
const SOURCES: Readonly<Record<string, Run>> = {
  async client(url, _origin, credentials, options) {
    await using client = createTestClient(credentials);
    return await client.bytes(url, options);
  },
  async request(url, _origin, credentials, options) {
    await using client = createTestClient();
    return await client.bytes(url, { ...options, credentials });
  },
  async "extend with baseUrl"(url, origin, credentials, options) {
    await using client = createTestClient();
    return await client.extend({ baseUrl: origin, credentials }).bytes(url, options);
  },
  async "client of an extension with baseUrl"(url, origin, credentials, options) {
    await using client = createTestClient(credentials);
    return await client.extend({ baseUrl: origin }).bytes(url, options);
  },
  async "request to an extension with baseUrl"(url, origin, credentials, options) {
    await using client = createTestClient();
    return await client.extend({ baseUrl: origin }).bytes(url, { ...options, credentials });
  },
  async "extend within an extension of another baseUrl"(url, origin, credentials, options) {
    await using client = createTestClient();
    const other = client.extend({ baseUrl: "http://other.example/" });
    return await other.extend({ baseUrl: origin, credentials }).bytes(url, options);
  },
  async stat(url, _origin, credentials, options) {
    await using client = createTestClient(credentials);
    return await client.stat(url, options);
  },
  async fetch(url, _origin, credentials, options) {
    await using client = createTestClient(credentials);
    const response = await client.fetch(url, options);
    if (response.status === 401) throw new AccessError("authentication-required", "status 401");
    return undefined;
  },
};

/**
 * Starts two servers of different origins. The paths of the first server redirect to its own origin, to the second
 * server, and back.
 */
async function startTwoOrigins(challenge = BASIC) {
  const locations: Record<string, string> = { "/same": "/end" };
  const first = await startLoginServer(locations, challenge);
  const origin = `http://127.0.0.1:${first.port}/`;
  const second = await startLoginServer({ "/back": `${origin}end` }, challenge);
  const otherOrigin = `http://127.0.0.1:${second.port}/`;
  Object.assign(locations, { "/other": `${otherOrigin}end`, "/back": `${otherOrigin}back` });
  const stop = async () => void (await Promise.all([first.stop(), second.stop()]));
  return { first, second, origin, otherOrigin, [Symbol.asyncDispose]: stop };
}

const LOGIN_REQUIRED = { code: "authentication-required" };

describe("credentials stay in their origin on redirects", () => {
  it.each(
    Object.keys(SOURCES).flatMap((source) =>
      ["Basic", "Digest"].flatMap((scheme) =>
        [{}, { preemptive: true }].map((options) => [source, scheme, options] as const),
      ),
    ),
  )("the login of %s (%s, %j) stays in the origin of the first URL", async (source, scheme, options) => {
    await using servers = await startTwoOrigins(scheme === "Basic" ? BASIC : DIGEST);
    const { first, second, origin } = servers;
    const run = SOURCES[source] as Run;
    await run(`${origin}same`, origin, giveLogin, options);
    expect(first.authorized).toContain("/end");
    first.authorized.length = 0;
    for (const path of ["other", "back"])
      await expect(run(origin + path, origin, giveLogin, options)).rejects.toMatchObject(LOGIN_REQUIRED);
    expect(first.authorized).not.toContain("/end");
    expect(second.authorized).toEqual([]);
    await run(`${origin}other`, origin, giveLoginToEveryOrigin, options);
    expect(second.authorized).toEqual(["/end"]);
  });

  it.each([
    ["extend with baseUrl", 0],
    ["client of an extension with baseUrl", 0],
    ["request to an extension with baseUrl", 0],
    ["extend within an extension of another baseUrl", 0],
    ["client", 1],
    ["request", 1],
  ])(
    "a request for an absolute URL outside the base URL, with the login from %s, sends the login %i times",
    async (source, count) => {
      await using servers = await startTwoOrigins();
      const { second, origin, otherOrigin } = servers;
      const run = SOURCES[source] as Run;
      for (const options of [{}, { preemptive: true }]) {
        second.authorized.length = 0;
        await run(`${otherOrigin}end`, origin, giveLogin, options).catch(() => undefined);
        expect(second.authorized.length).toBe(count);
      }
      second.authorized.length = 0;
      await run(`${otherOrigin}end`, origin, giveLoginToEveryOrigin, {});
      expect(second.authorized.length).toBe(1);
    },
  );

  it("the login of an outer base URL does not reach an inner base URL of another origin", async () => {
    await using servers = await startTwoOrigins();
    const { second, origin, otherOrigin } = servers;
    await using client = createTestClient();
    const outer = client.extend({ baseUrl: origin, credentials: giveLogin });
    await expect(outer.extend({ baseUrl: otherOrigin }).text("end")).rejects.toMatchObject(LOGIN_REQUIRED);
    expect(second.authorized).toEqual([]);
  });

  it("the callback credentials receives the server and isCrossOrigin, and the error says why the login was not sent", async () => {
    await using servers = await startTwoOrigins();
    const { first, second, origin } = servers;
    await using client = createTestClient();
    const events: CredentialRequestEvent[] = [];
    const credentials = (event: CredentialRequestEvent) => {
      events.push(event);
      return login;
    };
    await client.text(`${origin}end`, { credentials });
    const failure: unknown = await client
      .text(`${origin}other`, { credentials })
      .catch((error: unknown) => error);
    const common = { scheme: "http", host: "127.0.0.1", realm: "r", requestedSecret: "password" };
    expect(events).toEqual([
      { ...common, port: first.port, isCrossOrigin: false },
      { ...common, port: second.port, isCrossOrigin: true },
    ]);
    expect(failure).toMatchObject({
      ...LOGIN_REQUIRED,
      advice:
        "the login of the callback `credentials` was not sent to another origin: return crossOrigin: true with the login of this server",
    });
  });

  it.each([
    ["ftp", ["220 a", "332 b"], "ACCT"],
    ["nntp", ["200 a", "480 b", "480 b", "381 c"], "AUTHINFO"],
  ])("a redirect from http to %s receives no login", async (scheme, replies, command) => {
    const received: string[] = [];
    await using target = await startScriptedServer(async (peer) => {
      const [greeting, ...others] = replies;
      peer.send(`${greeting}\r\n`);
      for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
        received.push(line);
        peer.send(`${others.shift() ?? "500 d"}\r\n`);
      }
    });
    const location = `${scheme}://127.0.0.1:${target.port}/a.b`;
    await using server = await startLoginServer({ "/": location });
    await using client = createTestClient(giveLogin);
    const allowed = anyAddress({
      allowSchemeRedirects: { http: ["ftp", "nntp"] },
      allowPorts: { ftp: [target.port], nntp: [target.port] },
    });
    const url = `http://127.0.0.1:${server.port}/`;
    await expect(client.dereference(url, { policy: allowed })).rejects.toMatchObject(LOGIN_REQUIRED);
    expect(received.join()).not.toMatch(/sesame|joe/);
    const credentials = giveLoginToEveryOrigin;
    await client.dereference(url, { policy: allowed, credentials }).catch(() => undefined);
    expect(received.join()).toContain(command);
  });

  it("a redirect uses no pooled connection on which the client has logged in", async () => {
    const answers: Readonly<Record<string, string>> = {
      GROUP: "211 1 1 1 a.b",
      ARTICLE: "220 1 <a@h>\r\nSubject: a\r\n\r\nprivate\r\n.",
    };
    await using target = await startScriptedServer(async (peer) => {
      let isLoggedIn = false;
      peer.send("200 a\r\n");
      for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
        const [command = ""] = line.split(" ");
        if (line.startsWith("AUTHINFO PASS")) isLoggedIn = true;
        if (command === "AUTHINFO") peer.send(isLoggedIn ? "281 b\r\n" : "381 c\r\n");
        else if (answers[command] === undefined) peer.send("500 d\r\n");
        else peer.send(`${isLoggedIn ? answers[command] : "480 e"}\r\n`);
      }
    });
    const location = `nntp://127.0.0.1:${target.port}/a.b/1`;
    await using server = await startLoginServer({ "/": location });
    const allowed = anyAddress({
      allowSchemeRedirects: { http: ["nntp"] },
      allowPorts: { nntp: [target.port] },
    });
    await using client = createClient({ schemes, policy: allowed, credentials: giveLogin });
    expect(await client.text(location)).toContain("private");
    await expect(client.text(`http://127.0.0.1:${server.port}/`)).rejects.toMatchObject(LOGIN_REQUIRED);
    expect(await client.text(location)).toContain("private");
    const logins = target.connections.map(({ received }) => String(received).includes("AUTHINFO PASS"));
    expect(logins).toEqual([true, false]);
  });
});
