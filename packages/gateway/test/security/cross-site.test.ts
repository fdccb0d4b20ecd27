import { once } from "node:events";
import { connect } from "node:net";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestGateway, startTestGateway } from "../test-gateway.ts";

let targetServer: LoopbackServer;
let testGateway: TestGateway;
beforeAll(async () => {
  targetServer = await startScriptedServer(async (peer) => {
    await peer.readLine();
    peer.send("text\r\n.\r\n");
  });
  testGateway = await startTestGateway([targetServer.port], { allowedHosts: ["gw.example"] });
});
afterAll(async () => {
  await testGateway[Symbol.asyncDispose]();
  await targetServer.stop();
});

/**
 * Returns the fetch metadata header fields (`Sec-Fetch-…`) of a browser request. The header values were recorded
 * with Chromium, as in test/browser/gateway-cross-site.test.ts.
 */
function createFetchMetadataHeaders(
  site: string,
  mode: string,
  dest: string,
  user?: "?1",
): Record<string, string> {
  return {
    "sec-fetch-site": site,
    "sec-fetch-mode": mode,
    "sec-fetch-dest": dest,
    ...(user && { "sec-fetch-user": user }),
  };
}

const VIEW_PATHS = ["", "/~raw", "/~download", "/~name"];

describe("the gateway refuses requests by pages of other sites", () => {
  it.each([
    ["an image", createFetchMetadataHeaders("cross-site", "no-cors", "image")],
    [
      "an image in a page that another port of this machine serves",
      createFetchMetadataHeaders("same-site", "no-cors", "image"),
    ],
    ["a script", createFetchMetadataHeaders("cross-site", "no-cors", "script")],
    ["a style sheet", createFetchMetadataHeaders("cross-site", "no-cors", "style")],
    ["a video", createFetchMetadataHeaders("cross-site", "no-cors", "video")],
    ["fetch() without CORS", createFetchMetadataHeaders("cross-site", "no-cors", "empty")],
    [
      "fetch() with CORS",
      { ...createFetchMetadataHeaders("cross-site", "cors", "empty"), origin: "http://evil.example" },
    ],
    ["an iframe", createFetchMetadataHeaders("cross-site", "navigate", "iframe")],
    ["an iframe that a click opens", createFetchMetadataHeaders("cross-site", "navigate", "iframe", "?1")],
    ["an object", createFetchMetadataHeaders("cross-site", "navigate", "object")],
    ["an embed", createFetchMetadataHeaders("cross-site", "navigate", "embed")],
    ["a script that sets location", createFetchMetadataHeaders("cross-site", "navigate", "document")],
    [
      "a prefetch",
      { ...createFetchMetadataHeaders("cross-site", "no-cors", "empty"), "sec-purpose": "prefetch" },
    ],
    // Chromium sends `Sec-Fetch-Site: none` in a prefetch by speculation rules.
    [
      "a speculative prefetch",
      { ...createFetchMetadataHeaders("none", "navigate", "document"), "sec-purpose": "prefetch" },
    ],
    [
      "a prerender",
      { ...createFetchMetadataHeaders("none", "navigate", "document"), "sec-purpose": "prefetch;prerender" },
    ],
    ["a prefetch by an old browser", { purpose: "prefetch" }],
    ["a prefetch by an old version of Firefox", { "x-moz": "prefetch" }],
    [
      "a page with an unknown value of Sec-Fetch-Site",
      createFetchMetadataHeaders("elsewhere", "no-cors", "image"),
    ],
    [
      "a page with two values of Sec-Fetch-Site",
      createFetchMetadataHeaders("same-origin, cross-site", "no-cors", "image"),
    ],
    ["a page whose Origin is another site", { origin: "http://evil.example" }],
    ["a page whose Origin is null", { origin: "null" }],
    [
      "a page whose Origin begins with the gateway's host name",
      { origin: "http://127.0.0.1:PORT.evil.example" },
    ],
    ["a page whose Origin has another port", { origin: "http://127.0.0.1:1" }],
    ["a page whose Referer is another site", { referer: "http://evil.example/page" }],
    ["a page whose Referer is another site over TLS", { referer: "https://evil.example/" }],
    ["a page whose Referer has another port", { referer: "http://127.0.0.1:1/" }],
    [
      "a page whose Referer contains the gateway's origin in its path",
      { referer: "http://evil.example/http://127.0.0.1:PORT/" },
    ],
    [
      "a page whose Referer has the gateway's host name as its login",
      { referer: "http://127.0.0.1:PORT@evil.example/" },
    ],
  ])("the gateway refuses a cross-site request by %s with 403 in every view", async (_, fields) => {
    const reached = targetServer.connections.length;
    const headers = replacePortPlaceholder(fields);
    for (const view of VIEW_PATHS)
      for (const method of ["GET", "HEAD"]) {
        const answer = await testGateway.request(`${view}/gopher/127.0.0.1:${targetServer.port}/0/x`, {
          headers,
          method,
        });
        expect([view, method, answer.status]).toEqual([view, method, 403]);
      }
    expect((await testGateway.request("/~search?url=gopher://h.example/7/s&q=x", { headers })).status).toBe(
      403,
    );
    expect(targetServer.connections.length).toBe(reached);
  });

  it("the gateway refuses a cross-site request whose target is an absolute URL", async () => {
    const headers = createFetchMetadataHeaders("cross-site", "no-cors", "image");
    const answer = await testGateway.request(
      `${testGateway.origin}/gopher/127.0.0.1:${targetServer.port}/0/x`,
      { headers },
    );
    expect(answer.status).toBe(403);
  });

  it("the gateway shows an error page with the URL of a refused cross-site request", async () => {
    const url = `gopher://127.0.0.1:${targetServer.port}/0/x`;
    const headers = createFetchMetadataHeaders("cross-site", "navigate", "document");
    const { text } = await testGateway.request(`/gopher/127.0.0.1:${targetServer.port}/0/x`, { headers });
    expect(text).toContain("A page of another site requested this URL");
    expect(text).toContain(`value="${url}"`);
    const search = await testGateway.request(`/~search?url=${encodeURIComponent(url)}&q=x`, { headers });
    expect(search.text).toContain(`value="${url}"`);
  });
});

describe("the gateway accepts requests that the user starts", () => {
  it.each([
    ["a program without the header fields of a browser", {}],
    ["a user who types the URL", createFetchMetadataHeaders("none", "navigate", "document", "?1")],
    [
      "a link in a page of the gateway",
      createFetchMetadataHeaders("same-origin", "navigate", "document", "?1"),
    ],
    ["a picture in a page of the gateway", createFetchMetadataHeaders("same-origin", "no-cors", "image")],
    [
      "a link in a page of another site",
      createFetchMetadataHeaders("cross-site", "navigate", "document", "?1"),
    ],
    [
      "a user who follows a link in a page that another port of this machine serves",
      createFetchMetadataHeaders("same-site", "navigate", "document", "?1"),
    ],
    ["a page whose Referer is the gateway", { referer: "http://127.0.0.1:PORT/gopher/h.example/" }],
    ["a page whose Referer has an allowed host name", { referer: "https://gw.example/" }],
    ["a page whose Referer is a gopher URL", { referer: "gopher://h.example/1/" }],
    ["a page whose Referer is no URL", { referer: "x" }],
    ["a page whose Origin is the gateway", { origin: "http://localhost:PORT" }],
  ])("the gateway accepts a request by %s in every view", async (_, fields) => {
    const headers = replacePortPlaceholder(fields);
    for (const view of VIEW_PATHS) {
      const answer = await testGateway.request(`${view}/gopher/127.0.0.1:${targetServer.port}/0/x`, {
        headers,
      });
      expect([view, answer.status]).toEqual([view, 200]);
    }
  });

  it("the gateway serves a request of a proxy client even if its Referer is another site", async () => {
    const answer = await testGateway.request(`gopher://127.0.0.1:${targetServer.port}/0/x`, {
      headers: { accept: "*/*", host: `127.0.0.1:${targetServer.port}`, referer: "http://evil.example/" },
    });
    expect([answer.status, answer.text]).toEqual([200, "text\r\n"]);
  });
});

describe("the gateway accepts forms only from its own pages", () => {
  it.each([
    ["a form sent from a page of the gateway", { origin: "http://127.0.0.1:PORT" }, 200],
    ["a form sent through a TLS proxy", { origin: "https://gw.example", host: "gw.example" }, 200],
    ["a form sent through a TLS proxy that changes the Host field", { origin: "https://gw.example" }, 200],
    ["a form sent through a TLS proxy of this machine", { origin: "https://localhost" }, 200],
    [
      "a form sent through a TLS proxy with the port number of the gateway",
      { origin: "https://localhost:PORT" },
      200,
    ],
    [
      "a form sent through a TLS proxy with Sec-Fetch fields",
      {
        origin: "https://gw.example",
        ...createFetchMetadataHeaders("same-origin", "navigate", "document", "?1"),
      },
      200,
    ],
    ["a form sent from another host name over TLS", { origin: "https://evil.example" }, 403],
    ["a form sent from another port over TLS", { origin: "https://gw.example:444" }, 403],
    [
      "a form sent from a link of another site",
      createFetchMetadataHeaders("cross-site", "navigate", "document", "?1"),
      403,
    ],
    [
      "a form sent with Sec-Fetch-Site: none",
      createFetchMetadataHeaders("none", "navigate", "document", "?1"),
      403,
    ],
    ["a form whose Referer is another site", { referer: "http://evil.example/" }, 403],
    ["a form sent without the header fields of a browser", {}, 200],
  ])("the gateway checks the origin of %s: %o", async (_, fields, status) => {
    await using plus = await startScriptedServer(async (peer) => {
      const line = await peer.readLine();
      if (line?.endsWith("\t1")) peer.send("+-1\r\nThank you\r\n.\r\n");
      else peer.send("+-1\r\n+INFO: 0x\t/x\tlocalhost\t70\t?\r\n+ASK:\r\n Ask: Name\r\n.\r\n");
    });
    await using other = await startTestGateway([plus.port], { allowedHosts: ["gw.example"] });
    const url = encodeURIComponent(`gopher://127.0.0.1:${plus.port}/0/x%09%09?`);
    const body = `url=${url}&f0=x`;
    const headers = replacePortPlaceholder(fields, other);
    const answer = await other.request("/~form", { method: "POST", headers, body });
    expect([answer.status, plus.connections.length]).toEqual([status, status === 200 ? 2 : 0]);
  });
});

describe("the gateway checks the Host field of each request", () => {
  const own = "127.0.0.1:PORT";
  it.each<[name: string, line: string, hosts: readonly string[], status: number]>([
    ["a request with the gateway's own name", "GET /PATH HTTP/1.1", [own], 200],
    ["a request with the gateway's own name in upper case", "GET /PATH HTTP/1.1", ["LOCALHOST:PORT"], 200],
    ["a request with an unknown name", "GET /PATH HTTP/1.1", ["evil.example"], 421],
    ["a request with two Host fields", "GET /PATH HTTP/1.1", [own, "evil.example"], 400],
    ["a request with two Host fields in reverse order", "GET /PATH HTTP/1.1", ["evil.example", own], 400],
    ["a request that has the gateway's own name in two Host fields", "GET /PATH HTTP/1.1", [own, own], 400],
    ["a request with an empty Host field", "GET /PATH HTTP/1.1", [""], 421],
    ["a request without a Host field", "GET /PATH HTTP/1.0", [], 421],
    ["a request whose Host field is a list", "GET /PATH HTTP/1.1", [`${own}, evil.example`], 421],
    [
      "a request with an absolute-form target and the gateway's own name",
      "GET http://127.0.0.1:PORT/PATH HTTP/1.1",
      [own],
      200,
    ],
    [
      "a request with an absolute-form target and another name in Host",
      "GET http://127.0.0.1:PORT/PATH HTTP/1.1",
      ["evil.example"],
      421,
    ],
    [
      "a request with an absolute-form target and two Host fields",
      "GET http://127.0.0.1:PORT/PATH HTTP/1.1",
      [own, "evil.example"],
      400,
    ],
    ["a proxy request whose Host is the target", "GET URL HTTP/1.1", ["127.0.0.1:SERVER"], 200],
    ["a proxy request whose Host is the gateway", "GET URL HTTP/1.1", [own], 200],
    ["a proxy request whose Host has no port", "GET URL HTTP/1.1", ["127.0.0.1"], 200],
    ["a proxy request without a Host field", "GET URL HTTP/1.0", [], 200],
    ["a proxy request whose Host is another name", "GET URL HTTP/1.1", ["evil.example"], 421],
    [
      "a proxy request with two Host fields",
      "GET URL HTTP/1.1",
      ["127.0.0.1:SERVER", "127.0.0.1:SERVER"],
      400,
    ],
  ])("the gateway checks the Host field of %s: %s, Host: %j", async (_, line, hosts, status) => {
    const reached = targetServer.connections.length;
    const filled = (text: string): string =>
      text
        .replaceAll("PORT", String(testGateway.gateway.port))
        .replace("PATH", `gopher/127.0.0.1:${targetServer.port}/0/x`)
        .replace("URL", `gopher://127.0.0.1:${targetServer.port}/0/x`)
        .replaceAll("SERVER", String(targetServer.port));
    const socket = connect(testGateway.gateway.port, "127.0.0.1");
    const fields = hosts.map((host) => `Host: ${host}\r\n`);
    socket.write(filled(`${line}\r\n${fields.join("")}Connection: close\r\n\r\n`));
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(answer.toString("latin1")).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(targetServer.connections.length - reached).toBe(status === 200 ? 1 : 0);
  });
});

function replacePortPlaceholder(
  fields: Readonly<Record<string, string>>,
  { gateway }: TestGateway = testGateway,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value.replaceAll("PORT", String(gateway.port))]),
  );
}
