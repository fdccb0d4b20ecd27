import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { createClient, trusted } from "@anyscheme/core";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { type Listening, startGateway } from "@anyscheme/gateway";
import { gopher } from "@anyscheme/scheme-gopher";
import { describeWithServer } from "@anyscheme/servers/describe-server";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Browser, openBrowser } from "./chromium.ts";

/** What a stranger's page does by itself, by the path of the gateway that it leads to. */
const BY_ITSELF: Readonly<Record<string, (address: string) => string>> = {
  image: (address) => `<img src="${address}">`,
  script: (address) => `<script src="${address}"></script>`,
  style: (address) => `<link rel="stylesheet" href="${address}">`,
  iframe: (address) => `<iframe src="${address}"></iframe>`,
  object: (address) => `<object data="${address}"></object>`,
  embed: (address) => `<embed src="${address}">`,
  video: (address) => `<video src="${address}" preload="auto"></video>`,
  fetch: (address) => `<script>fetch("${address}", { mode: "no-cors" }).catch(() => 0)</script>`,
  cors: (address) => `<script>fetch("${address}").catch(() => 0)</script>`,
  beacon: (address) => `<script>navigator.sendBeacon("${address}", "x")</script>`,
  prefetch: (address) => `<link rel="prefetch" href="${address}">`,
  speculation: (address) =>
    `<script type="speculationrules">{"prefetch":[{"urls":["${address}"],"eagerness":"immediate"}]}</script>`,
  prerender: (address) =>
    `<script type="speculationrules">{"prerender":[{"urls":["${address}"],"eagerness":"immediate"}]}</script>`,
  location: (address) => `<script>setTimeout(() => (location = "${address}"))</script>`,
  refresh: (address) => `<meta http-equiv="refresh" content="0;url=${address}">`,
  form: (address) =>
    `<form action="${address}" method="post"></form><script>document.forms[0].submit()</script>`,
};

describeWithServer("chromium", "a page of another site, in a browser", () => {
  let target: LoopbackServer;
  let stranger: LoopbackServer;
  let gateway: Listening;
  let browser: Browser;
  let page = "";
  const client = createClient({ schemes: [gopher()], policy: trusted({ onPort: () => true }) });
  const statuses = new Map<string, number>();
  const finished = (message: unknown): void => {
    const { req, statusCode } = (message as { response: ServerResponse }).response;
    statuses.set(req.url ?? "", statusCode);
  };

  beforeAll(async () => {
    target = await startScriptedServer(async (peer) => {
      await peer.line();
      peer.send("text\r\n.\r\n");
    });
    stranger = await startScriptedServer(async (peer) => {
      while (await peer.line());
      const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}`;
      peer.send(`${head}\r\nConnection: close\r\n\r\n${page}`);
    });
    gateway = await startGateway(client, { port: 0 });
    subscribe("http.server.response.finish", finished);
    browser = await openBrowser();
  });
  beforeEach(() => statuses.clear());
  afterAll(async () => {
    unsubscribe("http.server.response.finish", finished);
    await browser?.close();
    await gateway.close();
    await client.close();
    await stranger.stop();
    await target.stop();
  });

  const pathOf = (name: string): string => `/~raw/gopher/127.0.0.1:${target.port}/0/${name}`;
  // Another name is another site; another port alone would be the same one.
  const strangerAt = (host: string): string => `http://${host}:${stranger.port}/`;

  it.each(
    Object.entries(BY_ITSELF).flatMap(([name, markup]) => [
      [name, "localhost", markup] as const,
      [name, "127.0.0.1", markup] as const,
    ]),
  )("%s, from %s: nobody is reached", async (name, host, markup) => {
    const path = pathOf(name);
    page = `<!doctype html>${markup(`http://127.0.0.1:${gateway.port}${path}`)}`;
    const tab = await browser.context.newPage();
    await tab.goto(strangerAt(host));
    await expect.poll(() => statuses.get(path), { timeout: 10_000 }).toBeGreaterThanOrEqual(400);
    expect([403, 405]).toContain(statuses.get(path));
    expect(target.connections.length).toBe(0);
    await tab.close();
  });

  it("a link that the user follows leads to the page, and its reload does", async () => {
    const path = `/gopher/127.0.0.1:${target.port}/0/link`;
    page = `<!doctype html><a href="http://127.0.0.1:${gateway.port}${path}">a link</a>`;
    const tab = await browser.context.newPage();
    await tab.goto(strangerAt("localhost"));
    await tab.getByRole("link").click();
    await tab.waitForURL((url) => url.pathname === path);
    expect(await tab.innerText("pre")).toContain("text");
    expect((await tab.reload())?.status()).toBe(200);
    expect(target.connections.length).toBe(2);
    await tab.close();
  });

  it("what was refused can be shown by pressing Go", async () => {
    const path = `/gopher/127.0.0.1:${target.port}/0/go`;
    page = `<!doctype html>${BY_ITSELF["location"]?.(`http://127.0.0.1:${gateway.port}${path}`)}`;
    const tab = await browser.context.newPage();
    await tab.goto(strangerAt("localhost"));
    await tab.waitForURL((url) => url.pathname === path);
    expect(await tab.innerText("main")).toContain("A page of another site asked for this");
    await tab.getByRole("button", { name: "Go" }).click();
    await tab.waitForSelector("pre");
    expect(await tab.innerText("pre")).toContain("text");
    await tab.close();
  });
});
