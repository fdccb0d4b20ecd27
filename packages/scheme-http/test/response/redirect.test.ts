import { createClient, type Resource, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, getPlannedBytes, startScriptedServer } from "@anyscheme/core/testing";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { http, https } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import {
  createSingleResponseScript,
  createServerUrl,
  createTestClient,
  testClient,
  getRejectedError,
  getWithGivenClient,
  getWithSharedTestClient,
  readRequestHead,
} from "../test-client.ts";

const REDIRECT_TARGET_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nTARGET";

/** Starts a server that redirects `/` with a Location header, and responds to other paths with status 200. */
const startRedirectingServer = (location: string, status = "302 Found"): Promise<LoopbackServer> =>
  startScriptedServer(async (peer) => {
    const [requestLine = ""] = await readRequestHead(peer);
    const isFirst = /^GET \/(dir\/start\S*)? /.test(requestLine);
    peer.send(
      isFirst
        ? `HTTP/1.1 ${status}\r\n${location}Content-Length: 1000000\r\n\r\nmoved`
        : REDIRECT_TARGET_RESPONSE,
    );
  });

describe("the client follows http redirects", () => {
  it.each([
    "301 Moved Permanently",
    "302 Found",
    "303 See Other",
    "307 Temporary Redirect",
    "308 Permanent Redirect",
  ])("the client follows a redirect with the status %s", async (status) => {
    await using server = await startRedirectingServer("Location: /x\r\n", status);
    const resource = await getWithSharedTestClient(createServerUrl(server));
    expect(await resource.text()).toBe("TARGET");
    expect(resource.url.href).toBe(createServerUrl(server, "/x"));
    expect(resource.redirectChain.map(({ fromUrl }) => fromUrl.href)).toEqual([createServerUrl(server)]);
    expect(server.connections[1]?.received).toEqual(getPlannedBytes(resource.plan));
  });

  it.each([
    ["x", "/dir/x"],
    ["../x?a=b", "/x?a=b"],
    ["?q", "/dir/start?q"],
    ["/a/b/../c", "/a/c"],
    ["//127.0.0.1:PORT/x", "/x"],
    ["HTTP://127.0.0.1:PORT/x", "/x"],
    ["/~u/{}", "/~u/%7B%7D"],
    ['/a b?"<>%', "/a%20b?%22%3C%3E%"],
    ["/\xc3\xa9", "/%C3%A9"],
    ["/\xe9", "/%E9"],
    ["/x?a/b", "/x?a/b"],
    ["/x#part", "/x"],
  ])("after a redirect with the Location %j, the client requests %s", async (location, target) => {
    let port = 0;
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      const value = location.replace("PORT", String(port));
      peer.send(
        connection === 0 ? `HTTP/1.1 302 Found\r\nLocation: ${value}\r\n\r\n` : REDIRECT_TARGET_RESPONSE,
      );
    });
    ({ port } = server);
    const resource = await getWithSharedTestClient(createServerUrl(server, "/dir/start"));
    expect(await resource.text()).toBe("TARGET");
    expect(server.connections[1]?.received.toString()).toMatch(
      new RegExp(`^GET ${escapeRegExp(target)} HTTP`),
    );
  });

  it("the target of a redirect inherits the fragment of the URL, unless the Location has one", async () => {
    await using plain = await startRedirectingServer("Location: /x\r\n");
    expect((await getWithSharedTestClient(createServerUrl(plain, "/#here"))).url.fragment).toBe("here");
    await using other = await startRedirectingServer("Location: /x#there\r\n");
    expect((await getWithSharedTestClient(createServerUrl(other, "/#here"))).url.fragment).toBe("there");
  });

  it("the client closes the connection of a redirect with an unfinished body before it connects again", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      peer.send(
        connection === 0
          ? "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 9\r\n\r\n"
          : REDIRECT_TARGET_RESPONSE,
      );
      await peer.readLine();
    });
    // With one connection for each host, the second connection has to wait until the first is closed.
    await using client = createTestClient({ limits: { maxConnectionsPerHost: 1, callTimeoutMs: 5_000 } });
    await (await getWithGivenClient(client, createServerUrl(server))).bytes();
    expect(server.connections.length).toBe(2);
  });
});

describe("the client refuses some http redirects", () => {
  it.each([
    ["no value", "", "protocol"],
    ["two values", "Location: /a\r\nLocation: /b\r\n", "protocol"],
    ["a login", "Location: http://user:n33dle@127.0.0.1/\r\n", "refused-redirect"],
    [
      "a user name that looks like a host name",
      "Location: http://127.0.0.1?@evil.example/\r\n",
      "refused-redirect",
    ],
    ["a tab", "Location: /hello.txt?a\tb\r\n", "refused-redirect"],
    ["a backslash", "Location: /\\evil.example/\r\n", "refused-redirect"],
    ["no host", "Location: http:///x\r\n", "refused-redirect"],
    ["a host that is an address in a number form", "Location: http://0x7f.1/\r\n", "refused-redirect"],
    ["the scheme file", "Location: file:///etc/passwd\r\n", "refused-redirect"],
    ["the scheme ftp", "Location: ftp://127.0.0.1/x\r\n", "refused-redirect"],
    ["the scheme gopher", "Location: gopher://127.0.0.1:6379/_INFO\r\n", "refused-redirect"],
    ["the scheme javascript", "Location: javascript:alert(1)\r\n", "refused-redirect"],
    ["the same URL", "Location: /\r\n", "refused-redirect"],
    ["a port of another protocol", "Location: http://127.0.0.1:25/\r\n", "refused-port"],
  ])("the client refuses a redirect whose Location has %s", async (_, location, code) => {
    await using server = await startRedirectingServer(location);
    const error = await getRejectedError(getWithSharedTestClient(createServerUrl(server)));
    expect(error).toMatchObject({ name: "AccessError", code });
    expect(error.message).not.toContain("n33dle");
    await server.connections[0]?.closed;
    expect(server.connections).toHaveLength(1);
  });

  it("the client refuses more redirects than maxRedirects", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      peer.send(`HTTP/1.1 302 Found\r\nLocation: /${connection}\r\n\r\n`);
    });
    const error = await getRejectedError(
      getWithSharedTestClient(createServerUrl(server, "/start"), { limits: { maxRedirects: 3 } }),
    );
    expect(error).toMatchObject({ code: "limit", limit: "maxRedirects" });
    expect(server.connections).toHaveLength(4);
  });
});

it.each([
  ["without a Location", ""],
  ["with several Locations", "Location: /a\r\nLocation: /b\r\n"],
])("a redirect %s throws an error with advice", async (what, location) => {
  await using server = await startRedirectingServer(location);
  expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server)))).toMatchObject({
    code: "protocol",
    reason: `the server answered 302 Found ${what}`,
    advice: 'set the option `redirect: "manual"` to get the response itself',
  });
  const resource = await getWithSharedTestClient(createServerUrl(server), { redirect: "manual" });
  expect(resource.httpResponse.status).toBe(302);
  await resource.close();
});

describe("the origin of the redirect target decides whether the caller's headers are sent again", () => {
  const headers = { authorization: "Bearer n33dle", "x-secret": "n33dle", "user-agent": "mine" };

  it("the caller's headers are sent again after a redirect to the same origin", async () => {
    await using server = await startRedirectingServer("Location: /x\r\n");
    await (await getWithSharedTestClient(createServerUrl(server), { headers })).bytes();
    expect(server.connections[1]?.received.toString()).toContain(
      "\r\nauthorization: Bearer n33dle\r\nx-secret: n33dle\r\n",
    );
  });

  it("after a redirect to another origin, the client sends only the caller's headers without secrets", async () => {
    await using second = await startScriptedServer(createSingleResponseScript(REDIRECT_TARGET_RESPONSE));
    await using first = await startRedirectingServer(`Location: http://127.0.0.1:${second.port}/x\r\n`);
    const resource = await getWithSharedTestClient(createServerUrl(first), { headers });
    await resource.bytes();
    expect(first.connections[0]?.received.toString()).toContain("n33dle");
    const received = second.connections[0]?.received ?? Buffer.alloc(0);
    const kept = { "user-agent": headers["user-agent"] };
    expect(received).toEqual(
      getPlannedBytes(testClient.plan(createServerUrl(second, "/x"), { headers: kept })),
    );
    expect(received.toString()).not.toMatch(/n33dle|referer/i);
  });

  it("the caller's headers are not sent to another port of the same host, or to its redirects", async () => {
    await using back = await startRedirectingServer("Location: /x\r\n");
    await using away = await startScriptedServer(
      createSingleResponseScript(`HTTP/1.1 302 Found\r\nLocation: ${createServerUrl(back)}\r\n\r\n`),
    );
    await (await getWithSharedTestClient(createServerUrl(away), { headers })).bytes();
    for (const { received } of back.connections) expect(received.toString()).not.toContain("n33dle");
  });
});

it("an http redirect to another scheme is followed when the policy allows it", async () => {
  const asked: string[] = [];
  const note = {
    name: "x-note",
    syntax: createGenericSyntax({ schemes: ["x-note"] as const }),
    plan: (url: { href: string }) => ({ url, steps: [] }) as never,
    access: (
      plan: { url: { href: string } },
      context: { createContent(init: object): Resource },
    ): Promise<Resource> => {
      asked.push(plan.url.href);
      const source = { read: () => Promise.resolve("end" as const), cancel: () => undefined };
      return Promise.resolve(context.createContent({ source }));
    },
  };
  await using server = await startRedirectingServer("Location: x-note:hello\r\n");
  const listing = createClient({
    schemes: [http(), https(), note as never],
    policy: anyAddress({ allowSchemeRedirects: { http: ["x-note"] } }),
  });
  const resource = (await listing.dereference(createServerUrl(server))) as Resource;
  expect(resource.url.href).toBe("x-note:hello");
  expect(asked).toEqual(["x-note:hello"]);
  await resource.close();
});

function escapeRegExp(text: string): string {
  return text.replace(/[?.{}()+*$^|\\]/g, "\\$&");
}
