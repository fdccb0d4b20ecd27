import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createClient, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { type GatewayServer, startGateway } from "@anyscheme/gateway";
import { gopher } from "@anyscheme/scheme-gopher";
import { describeWithServer } from "@anyscheme/servers/describe-server";
import type { Page } from "playwright-core";
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
};

/** How it leads the browser away by itself. */
const AWAY: Readonly<Record<string, (address: string) => string>> = {
  location: (address) => `<script>setTimeout(() => (location = "${address}"))</script>`,
  refresh: (address) => `<meta http-equiv="refresh" content="0;url=${address}">`,
  form: (address) =>
    `<form action="${address}" method="post"></form><script>document.forms[0].submit()</script>`,
};

/** What Node tells of an answer that has been sent. */
interface Answered {
  readonly req: { readonly url?: string };
  readonly statusCode: number;
}

describeWithServer("chromium", "a page of another site, in a browser", () => {
  let target: LoopbackServer;
  let stranger: LoopbackServer;
  let gateway: GatewayServer;
  let browser: Browser;
  let tab: Page;
  let page = "";
  const client = createClient({ schemes: [gopher()], policy: anyAddress({ confirmPort: () => true }) });
  const statuses = new Map<string, number>();
  const finished = (message: unknown): void => {
    const { req, statusCode } = (message as { response: Answered }).response;
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
    tab = await browser.context.newPage();
  });
  beforeEach(() => statuses.clear());
  afterAll(async () => {
    unsubscribe("http.server.response.finish", finished);
    await browser?.close();
    await gateway.close();
    await client.destroy();
    await stranger.stop();
    await target.stop();
  });

  const pathOf = (name: string): string => `/~raw/gopher/127.0.0.1:${target.port}/0/${name}`;
  const strangerAt = (host: string): string => `http://${host}:${stranger.port}/`;

  /** Another name is another site; another port alone is the same one. */
  const fromBoth = (ways: typeof BY_ITSELF): (readonly [name: string, host: string])[] =>
    Object.keys(ways).flatMap((name) => [[name, "localhost"] as const, [name, "127.0.0.1"] as const]);

  async function expectRefused(path: string): Promise<void> {
    await expect.poll(() => statuses.get(path), { timeout: 10_000 }).toBeDefined();
    expect([403, 405]).toContain(statuses.get(path));
    expect(target.connections.length).toBe(0);
  }

  it.each(fromBoth(BY_ITSELF))("%s, from %s: no server is reached", async (name, host) => {
    const path = pathOf(`${name}-${host}`);
    page = `<!doctype html>${BY_ITSELF[name]?.(`http://127.0.0.1:${gateway.port}${path}`)}`;
    await tab.goto(strangerAt(host));
    await expectRefused(path);
  });

  it.each(fromBoth(AWAY))("%s, from %s: no server is reached", async (name, host) => {
    const path = pathOf(`${name}-${host}`);
    page = `<!doctype html>${AWAY[name]?.(`http://127.0.0.1:${gateway.port}${path}`)}`;
    const led = tab.waitForURL((url) => url.pathname === path);
    // The page may lead away before it is loaded itself.
    await tab.goto(strangerAt(host), { waitUntil: "commit" }).catch(() => undefined);
    await led;
    await expectRefused(path);
  });

  it("a link that the user follows leads to the page, and its reload does", async () => {
    const path = `/gopher/127.0.0.1:${target.port}/0/link`;
    page = `<!doctype html><a href="http://127.0.0.1:${gateway.port}${path}">a link</a>`;
    await tab.goto(strangerAt("localhost"));
    await tab.getByRole("link").click();
    await tab.waitForURL((url) => url.pathname === path);
    expect(await tab.innerText("pre")).toContain("text");
    expect((await tab.reload())?.status()).toBe(200);
    expect(target.connections.length).toBe(2);
  });

  it("what was refused can be shown by pressing Go", async () => {
    const path = `/gopher/127.0.0.1:${target.port}/0/go`;
    page = `<!doctype html>${AWAY["location"]?.(`http://127.0.0.1:${gateway.port}${path}`)}`;
    await tab.goto(strangerAt("localhost"));
    await tab.waitForURL((url) => url.pathname === path);
    expect(await tab.innerText("main")).toContain("A page of another site asked for this");
    await tab.getByRole("button", { name: "Go" }).click();
    await tab.waitForSelector("pre");
    expect(await tab.innerText("pre")).toContain("text");
  });
});
