import { connect } from "node:net";
import { once } from "node:events";
import { publicInternet } from "@anyscheme/core";
import { startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { startTestGateway, startGopherServer } from "./test-gateway.ts";

const GOPHER_MENU = [
  "iWelcome <b>here</b>\t\terror.host\t1",
  "0About \u001b[31mthis\t/about\th.example\t70",
  "1More\t/more\th.example\t70",
  "7Find words\t/find\th.example\t70",
  "hElsewhere\tURL:http://h.example/\th.example\t70",
  ".",
  "",
].join("\r\n");

async function startMenuServer(answers: Record<string, string> = {}): ReturnType<typeof startGopherServer> {
  const server = await startGopherServer({
    "": GOPHER_MENU,
    "/about": "line <one>\r\n.\r\n",
    "/find\tsome words&more": "0Found\t/about\th.example\t70\r\n.\r\n",
    "/evil.html": "<script>alert(1)</script>",
    "/pic.gif": "GIF89a",
    "/prog": "\\x7fELF",
    ...answers,
  });
  return server;
}

describe("the gateway shows resources as pages", () => {
  it("the gateway shows a start page with a form that redirects to the gateway path of a URL", async () => {
    await using fixture = await startTestGateway([]);
    const home = await fixture.request("/");
    expect(home.status).toBe(200);
    expect(home.text).toContain('<label for="url">URL</label>');
    expect(home.text).toContain("<code>gopher</code>");
    const invalid = await fixture.request("/?url=gopher%3A%2F%2Fh.example%2F1a%2509b%5Cc%26d");
    expect(invalid.status).toBe(400);
    const redirect = await fixture.request("/?url=gopher%3A%2F%2Fh.example%2F1a%2509b%26d");
    expect([redirect.status, redirect.headers["location"]]).toEqual([303, "/gopher/h.example/1a%09b&d"]);
    const pasted = await fixture.request("/?url=http://h.example/?a=b&c=d");
    expect(pasted.headers["location"]).toBe("/http/h.example/?a=b&c=d");
  });

  it("the gateway shows a Gopher menu with kinds, links, search forms and texts, without scripts", async () => {
    await using server = await startMenuServer();
    await using fixture = await startTestGateway([server.port]);
    const { status, text, headers } = await fixture.request(`/gopher/127.0.0.1:${server.port}/1`);
    expect(status).toBe(200);
    expect(text).toContain("Welcome &lt;b&gt;here&lt;/b&gt;");
    expect(text).toContain('<a href="/gopher/h.example/0/about">');
    expect(text).toContain("About \\x1b[31mthis");
    expect(text).toContain('<a href="/http/h.example/">Elsewhere</a>');
    expect(text).toMatch(/<form action="\/~search"[^]*<label for="q4">Find words<\/label>/);
    expect(text).toContain("<summary>Plan</summary>");
    expect(text).toContain("<summary>Trace</summary>");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(text).not.toContain("<script");
    expect(text.trimEnd().endsWith("</html>")).toBe(true);
  });

  it("the gateway shows links to other views only on the page of a content resource", async () => {
    await using server = await startMenuServer();
    await using fixture = await startTestGateway([server.port]);
    const path = `gopher/127.0.0.1:${server.port}`;
    const { text } = await fixture.request(`/${path}/0/about`);
    expect(text).toContain(`<a href="/~raw/${path}/0/about">view raw</a>`);
    expect(text).toContain(`<a href="/~download/${path}/0/about">download</a>`);
    expect((await fixture.request(`/${path}/1`)).text).not.toMatch(/~raw|~download/);
  });

  it("the gateway redirects a search form to the URL with the search words", async () => {
    await using server = await startMenuServer();
    await using fixture = await startTestGateway([server.port]);
    const url = `gopher://127.0.0.1:${server.port}/7/find`;
    const redirect = await fixture.request(`/~search?url=${encodeURIComponent(url)}&q=some+words%26more`);
    expect(redirect.status).toBe(303);
    const found = await fixture.request(String(redirect.headers["location"]));
    expect(found.text).toContain(">Found</a>");
  });

  it.each([
    ["/gopher/HOST/0/about", "text/html; charset=utf-8", "line &lt;one&gt;"],
    ["/~raw/gopher/HOST/0/about", "text/plain; charset=utf-8", "line <one>\r\n"],
    ["/gopher/HOST/h/evil.html", "text/html; charset=utf-8", "&lt;script&gt;alert(1)"],
    ["/~raw/gopher/HOST/h/evil.html", "text/plain; charset=utf-8", "<script>alert(1)</script>"],
    ["/gopher/HOST/g/pic.gif", "image/gif", "GIF89a"],
    ["/~download/gopher/HOST/0/about", "application/octet-stream", "line <one>\r\n"],
    ["/gopher/HOST/9/prog", "application/octet-stream", "\\x7fELF"],
  ])("the gateway sends the content at the path %s with the media type %s", async (path, mediaType, text) => {
    await using server = await startMenuServer();
    await using fixture = await startTestGateway([server.port]);
    const answer = await fixture.request(path.replace("HOST", `127.0.0.1:${server.port}`));
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe(mediaType);
    expect(answer.text).toContain(text);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    if (!mediaType.startsWith("text/html"))
      expect(answer.headers["content-security-policy"]).toContain("sandbox");
  });

  it.each(["/~raw?url=gopher://127.0.0.1:1/0/x", "/~page?url=gopher://127.0.0.1:1/0/x"])(
    "a client that does not accept HTML gets the error for the path %s as a line of text",
    async (target) => {
      await using fixture = await startTestGateway([]);
      const { status, text, headers } = await fixture.request(target, { headers: { accept: "*/*" } });
      expect([status, headers["content-type"]]).toEqual([403, "text/plain; charset=utf-8"]);
      expect(text).toMatch(/^Forbidden: [^<\n]+\n$/);
    },
  );

  it("the gateway serves proxy clients with pages whose links are the URLs themselves", async () => {
    await using server = await startMenuServer();
    await using fixture = await startTestGateway([server.port]);
    const { status, text } = await fixture.request(`gopher://127.0.0.1:${server.port}/1`, {
      headers: { host: `127.0.0.1:${server.port}`, accept: "text/html, text/*;q=0.5" },
    });
    expect(status).toBe(200);
    expect(text).toContain('<a href="http://h.example/">Elsewhere</a>');
    expect(text).toContain(`href="${fixture.origin}/~style.css"`);
    expect(text).toContain(`<form action="${fixture.origin}/~search"`);
    const about = `gopher://127.0.0.1:${server.port}/0/about`;
    // A client that does not accept HTML gets the content.
    const content = await fixture.request(about, { headers: { accept: "*/*" } });
    expect([content.text, content.headers["content-type"]]).toEqual([
      "line <one>\r\n",
      "text/plain; charset=utf-8",
    ]);
    expect((await fixture.request(about, { headers: { accept: "text/html" } })).text).toContain(
      "line &lt;one&gt;",
    );
    const own = await fixture.request(`${fixture.origin}/`);
    expect(own.text).toContain("Open a URL");
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "x-unknown:y"])(
    "the gateway shows no link to a URL that the browser itself would open: %s",
    async (target) => {
      await using server = await startMenuServer({
        "/bad": `hOdd one\tURL:${target}\th.example\t70\r\n.\r\n`,
      });
      await using fixture = await startTestGateway([server.port]);
      const { status, text } = await fixture.request(`gopher://127.0.0.1:${server.port}/1/bad`, {
        headers: { host: `127.0.0.1:${server.port}`, accept: "text/html" },
      });
      expect(status).toBe(200);
      expect(text).toContain("Odd one");
      expect(text).not.toContain(`"${target}`);
    },
  );

  it("the gateway shows the chain of redirects, and the final URL of the content", async () => {
    await using server = await startScriptedServer(async (peer) => {
      const request = await peer.readLine();
      while (await peer.readLine());
      peer.send(
        request?.startsWith("GET /old")
          ? "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          : "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntext",
      );
    });
    await using fixture = await startTestGateway([server.port]);
    const { text } = await fixture.request(`/http/127.0.0.1:${server.port}/old`);
    expect(text).toContain(`value="http://127.0.0.1:${server.port}/new"`);
    expect(text).toContain(`<code>http://127.0.0.1:${server.port}/old</code> (redirect)`);
  });

  it("the gateway sorts a directory without a script, and splits it into pages", async () => {
    const lines = Array.from({ length: 1_500 }, (_, index) => `0item ${index}\t/${index}\th.example\t70\r\n`);
    await using server = await startMenuServer({ "/long": `${lines.join("")}.\r\n` });
    await using fixture = await startTestGateway([server.port]);
    const path = `gopher/127.0.0.1:${server.port}/1/long`;
    const first = await fixture.request(`/${path}`);
    expect(first.text).toContain("item 999<");
    expect(first.text).not.toContain("item 1000<");
    expect(first.text).toContain(`<a href="/~page+1000/${path}">Next entries</a>`);
    const next = await fixture.request(`/~page+1000/${path}`);
    expect(next.text).toContain("item 1499<");
    expect(next.text).not.toContain("Next entries");
    const byName = await fixture.request(`/~name/${path}`);
    expect(byName.text.indexOf("item 10<")).toBeLessThan(byName.text.indexOf("item 2<"));
  });
});

describe("the gateway responds to an invalid request with an error", () => {
  it.each([
    ["a text that is no URL", "/?url=nonsense", 400],
    ["an invalid URL", "/?url=gopher://h%0D%0A/", 400],
    ["an unknown scheme", "/x-none/h/", 404],
    ["an unknown path", "/~nothing", 404],
    ["a URL with a login", "/ftp/u:needle@h.example/", 403],
    ["a byte that the client refuses", "/gopher/h.example/0a%0Db", 400],
    ["a port of another protocol", "/gopher/h.example:25/", 403],
    ["a server that is not running", "/gopher/127.0.0.1:DEAD/", 502],
    ["a missing item", "/gopher/127.0.0.1:PORT/0/none", 404],
    ["a missing item in the raw view", "/~raw/gopher/127.0.0.1:PORT/0/none", 404],
    ["a search in a scheme without searches", "/~search?url=ftp://h.example/&q=x", 400],
  ])("the gateway sends an error page for a request with %s", async (_, path, status) => {
    await using server = await startMenuServer();
    const dead = await startMenuServer();
    await dead.stop();
    await using fixture = await startTestGateway([server.port, dead.port]);
    const target = path.replace("DEAD", String(dead.port)).replace("PORT", String(server.port));
    const answer = await fixture.request(target);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain('role="alert"');
    expect(answer.text).not.toContain("needle");
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it.each([
    ["POST", "/", 405],
    ["DELETE", "/gopher/h.example/", 405],
    ["GET", "/~form", 405],
    ["TRACE", "/", 405],
  ])(
    "the gateway responds to the method %s for the path %s with the status %i",
    async (method, target, status) => {
      await using fixture = await startTestGateway([]);
      expect((await fixture.request(target, { method })).status).toBe(status);
    },
  );

  it("the gateway refuses private addresses under the default policy", async () => {
    await using tripwire = await startForbiddenServer();
    await using fixture = await startTestGateway([], {}, publicInternet());
    expect((await fixture.request(`/http/127.0.0.1:${tripwire.port}/`)).status).toBe(403);
    expect((await fixture.request("/http/localhost/")).status).toBe(403);
    expect(tripwire.connections.length).toBe(0);
  });

  it.each([
    ["an unknown host name", { host: "evil.example" }, 421],
    ["localhost", { host: "localhost:PORT" }, 200],
  ])("the gateway checks the Host field of a request with %s: %o", async (_, headers, status) => {
    await using fixture = await startTestGateway([]);
    const host = headers.host.replace("PORT", String(fixture.gateway.port));
    expect((await fixture.request("/", { headers: { host } })).status).toBe(status);
  });

  it.each([{ origin: "http://evil.example" }, { "sec-fetch-site": "cross-site" }, { origin: "null" }])(
    "the gateway refuses a form from another site with the header fields %o",
    async (headers) => {
      await using fixture = await startTestGateway([]);
      const answer = await fixture.request("/~form", {
        method: "POST",
        headers,
        body: "url=gopher://h.example/",
      });
      expect(answer.status).toBe(403);
    },
  );

  it("the gateway refuses a form that is too long with the status 413", async () => {
    await using fixture = await startTestGateway([]);
    const answer = await fixture.request("/~form", { method: "POST", body: `url=${"x".repeat(70_000)}` });
    expect(answer.status).toBe(413);
  });

  it.each([
    ["a long path", `/gopher/h.example/${"x".repeat(20_000)}`, {}],
    ["a long header", "/", { cookie: "x".repeat(20_000) }],
  ])("the gateway sends 431 for a request with %s", async (_, target, headers) => {
    await using fixture = await startTestGateway([]);
    expect((await fixture.request(target, { headers })).status).toBe(431);
  });

  it("the gateway sends 503 with Retry-After for a request above a concurrency limit", async () => {
    const waiting: (() => void)[] = [];
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      await new Promise<void>((resolve) => waiting.push(resolve));
      peer.send("text\r\n.\r\n");
    });
    await using fixture = await startTestGateway([server.port], { concurrency: { pagesPerHost: 1 } });
    const path = `/gopher/127.0.0.1:${server.port}/0/slow`;
    const first = fixture.request(path);
    await expect.poll(() => waiting.length).toBe(1);
    const second = await fixture.request(path);
    expect([second.status, second.headers["retry-after"]]).toEqual([503, "5"]);
    waiting[0]?.();
    expect((await first).status).toBe(200);
  });

  it("after a failure within the body, the gateway adds a notice to a page, and closes the connection of an image", async () => {
    await using server = await startMenuServer({
      "/menu": `0one\t/one\th.example\t70\r\n0${"x".repeat(5_000)}\r\n`,
    });
    await using fixture = await startTestGateway([server.port], { maxRawBytes: 100_000 });
    const menu = await fixture.request(`/gopher/127.0.0.1:${server.port}/1/menu`);
    expect(menu.status).toBe(200);
    expect(menu.text).toMatch(/>one<[^]*<\/ul>[^]*role="alert">The page is incomplete/);
    await using long = await startMenuServer({ "/pic.gif": "x".repeat(200_000) });
    await using other = await startTestGateway([long.port], { maxRawBytes: 100_000 });
    const picture = await other.request(`/gopher/127.0.0.1:${long.port}/g/pic.gif`);
    expect([picture.status, picture.isComplete]).toEqual([200, false]);
  });

  it("the gateway aborts the request to the server when the client disconnects", async () => {
    let closed: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (closed = resolve));
    let received: () => void = () => undefined;
    const began = new Promise<void>((resolve) => (received = resolve));
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      received();
      await peer.readBytes(Infinity);
      closed();
    });
    await using fixture = await startTestGateway([server.port]);
    const socket = connect(fixture.gateway.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      `GET /gopher/127.0.0.1:${server.port}/0/x HTTP/1.1\r\nHost: localhost:${fixture.gateway.port}\r\n\r\n`,
    );
    await began;
    socket.destroy();
    await ended;
  });

  it("the gateway sends 408 to a client that does not send its header fields within headersTimeoutMs", async () => {
    await using fixture = await startTestGateway([], { headersTimeoutMs: 100 });
    const socket = connect(fixture.gateway.port, "127.0.0.1");
    await once(socket, "connect");
    const began = performance.now();
    socket.write("GET / HTTP/1.1\r\nHost: ");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 408 /);
    await once(socket, "close");
    // The default of headersTimeoutMs is 10 s.
    expect(performance.now() - began).toBeLessThan(8_000);
  });
});
