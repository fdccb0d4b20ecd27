import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createClient, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { type GatewayServer, startGateway } from "@anyscheme/gateway";
import { gopher } from "@anyscheme/scheme-gopher";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type ChromiumBrowser, openChromium } from "./open-chromium.ts";

/** HTML of an attacker's page that loads a URL of the gateway as a subresource. */
const SUBRESOURCE_HTML: Readonly<Record<string, (address: string) => string>> = {
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

/** HTML of an attacker's page that navigates to a URL of the gateway without a click. */
const NAVIGATION_HTML: Readonly<Record<string, (address: string) => string>> = {
  location: (address) => `<script>setTimeout(() => (location = "${address}"))</script>`,
  refresh: (address) => `<meta http-equiv="refresh" content="0;url=${address}">`,
  form: (address) =>
    `<form action="${address}" method="post"></form><script>document.forms[0].submit()</script>`,
};

/** A response in the messages of Node's diagnostics channel `http.server.response.finish`. */
interface FinishedResponse {
  readonly req: { readonly url?: string };
  readonly statusCode: number;
}

describeIfServerAvailable(
  "chromium",
  "in Chromium, the gateway refuses requests from pages of other sites",
  () => {
    let target: LoopbackServer;
    let attacker: LoopbackServer;
    let gateway: GatewayServer;
    let browser: ChromiumBrowser;
    let tab: Page;
    let page = "";
    const client = createClient({ schemes: [gopher()], policy: anyAddress({ confirmPort: () => true }) });
    const statuses = new Map<string, number>();
    const recordStatus = (message: unknown): void => {
      const { req, statusCode } = (message as { response: FinishedResponse }).response;
      statuses.set(req.url ?? "", statusCode);
    };

    beforeAll(async () => {
      target = await startScriptedServer(async (peer) => {
        await peer.readLine();
        peer.send("text\r\n.\r\n");
      });
      attacker = await startScriptedServer(async (peer) => {
        while (await peer.readLine());
        const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}`;
        peer.send(`${head}\r\nConnection: close\r\n\r\n${page}`);
      });
      gateway = await startGateway(client, { port: 0 });
      subscribe("http.server.response.finish", recordStatus);
      browser = await openChromium();
      tab = await browser.context.newPage();
    });
    beforeEach(() => statuses.clear());
    afterAll(async () => {
      unsubscribe("http.server.response.finish", recordStatus);
      await browser?.close();
      await gateway.close();
      await client.destroy();
      await attacker.stop();
      await target.stop();
    });

    const createRawPath = (name: string): string => `/~raw/gopher/127.0.0.1:${target.port}/0/${name}`;
    const attackerUrl = (host: string): string => `http://${host}:${attacker.port}/`;

    /**
     * Returns each case with two hosts of the attacker's page: another site, and the gateway's site with another port.
     */
    const combineWithHosts = (parts: typeof SUBRESOURCE_HTML): (readonly [name: string, host: string])[] =>
      Object.keys(parts).flatMap((name) => [[name, "localhost"] as const, [name, "127.0.0.1"] as const]);

    async function expectRefused(path: string): Promise<void> {
      await expect.poll(() => statuses.get(path), { timeout: 10_000 }).toBeDefined();
      expect([403, 405]).toContain(statuses.get(path));
      expect(target.connections.length).toBe(0);
    }

    it.each(combineWithHosts(SUBRESOURCE_HTML))(
      "the gateway refuses a URL that a page loads as %s from the host %s",
      async (name, host) => {
        const path = createRawPath(`${name}-${host}`);
        page = `<!doctype html>${SUBRESOURCE_HTML[name]?.(`http://127.0.0.1:${gateway.port}${path}`)}`;
        await tab.goto(attackerUrl(host));
        await expectRefused(path);
      },
    );

    it.each(combineWithHosts(NAVIGATION_HTML))(
      "the gateway refuses a navigation by %s from the host %s",
      async (name, host) => {
        const path = createRawPath(`${name}-${host}`);
        page = `<!doctype html>${NAVIGATION_HTML[name]?.(`http://127.0.0.1:${gateway.port}${path}`)}`;
        const navigated = tab.waitForURL((url) => url.pathname === path);
        // The attacker's page can navigate away before it has loaded.
        await tab.goto(attackerUrl(host), { waitUntil: "commit" }).catch(() => undefined);
        await navigated;
        await expectRefused(path);
      },
    );

    it("a click on a link of another site shows the gateway's page, also after a reload", async () => {
      const path = `/gopher/127.0.0.1:${target.port}/0/link`;
      page = `<!doctype html><a href="http://127.0.0.1:${gateway.port}${path}">a link</a>`;
      await tab.goto(attackerUrl("localhost"));
      await tab.getByRole("link").click();
      await tab.waitForURL((url) => url.pathname === path);
      expect(await tab.innerText("pre")).toContain("text");
      expect((await tab.reload())?.status()).toBe(200);
      expect(target.connections.length).toBe(2);
    });

    it("the Go button opens a gateway URL that was refused", async () => {
      const path = `/gopher/127.0.0.1:${target.port}/0/go`;
      page = `<!doctype html>${NAVIGATION_HTML["location"]?.(`http://127.0.0.1:${gateway.port}${path}`)}`;
      await tab.goto(attackerUrl("localhost"));
      await tab.waitForURL((url) => url.pathname === path);
      expect(await tab.innerText("main")).toContain("A page of another site requested this URL");
      await tab.getByRole("button", { name: "Go" }).click();
      await tab.waitForSelector("pre");
      expect(await tab.innerText("pre")).toContain("text");
    });
  },
);
