import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { createClient, trusted } from "@anyscheme/core";
import { type Listening, startGateway } from "@anyscheme/gateway";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { type RunningServer, startGophernicus, startVsftpd } from "@anyscheme/servers";
import { describeWithServer } from "@anyscheme/servers/describe-server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, openBrowser } from "./chromium.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshots = new URL("../../.screenshots/", import.meta.url).pathname;

const files = {
  "pub/readme.txt": "A text with <b>markup</b> & an escape: \u001b[31m\n".repeat(40),
  "pub/a long name that has to wrap somewhere, sooner or later, on a narrow screen.txt": "x",
  "pub/sub/picture.gif": "GIF89a",
};

interface Findings {
  readonly violations: readonly { readonly id: string; readonly help: string }[];
}

/** The pages that are looked at, by the name of their screenshot. */
const PAGES: readonly (readonly [
  name: string,
  server: "none" | "gopher" | "ftp",
  path: string,
  status: number,
])[] = [
  ["home", "none", "/", 200],
  ["failure", "none", "/gopher/127.0.0.1:1/", 403],
  ["menu", "gopher", "/gopher/HOST/1/", 200],
  ["text", "ftp", "/ftp/HOST/pub/readme.txt", 200],
  ["listing", "ftp", "/ftp/HOST/pub/", 200],
  ["listing by size", "ftp", "/~size/ftp/HOST/pub/", 200],
];

const SCREENS = [
  { width: 320, colorScheme: "light" },
  { width: 320, colorScheme: "dark" },
  { width: 1600, colorScheme: "light" },
  { width: 1600, colorScheme: "dark" },
] as const;

describeWithServer("chromium", "the gateway in a browser", () => {
  describeWithServer("vsftpd", "before vsftpd", () => {
    describeWithServer("gophernicus", "and gophernicus", () => {
      let browser: Browser;
      let page: Page;
      let gateway: Listening;
      const servers: Partial<Record<string, RunningServer>> = {};

      beforeAll(async () => {
        await mkdir(screenshots, { recursive: true });
        servers["ftp"] = await startVsftpd({ files });
        servers["gopher"] = await startGophernicus({ files });
        const gopherPort = servers["gopher"].port;
        const client = createClient({
          schemes: [ftp(), gopher(), http()],
          policy: trusted({ allowPorts: { gopher: [gopherPort] } }),
        });
        gateway = await startGateway(client, { port: 0 });
        browser = await openBrowser();
        page = await browser.context.newPage();
      });

      afterAll(async () => {
        await browser?.close();
        await gateway?.close();
        for (const server of Object.values(servers)) await server?.stop();
      });

      const addressOf = (server: string, path: string): string =>
        `http://127.0.0.1:${gateway.port}${path.replace("HOST", `127.0.0.1:${servers[server]?.port}`)}`;

      describe.each(SCREENS)("$width wide, $colorScheme", ({ width, colorScheme }) => {
        it.each(PAGES)(
          "%s: nothing to complain of for axe, and nothing sticks out",
          async (name, server, path, status) => {
            await page.setViewportSize({ width, height: 800 });
            await page.emulateMedia({ colorScheme });
            const messages: string[] = [];
            page.on("console", (message) => messages.push(message.text()));
            const response = await page.goto(addressOf(server, path));
            expect(response?.status()).toBe(status);
            await page.screenshot({
              path: `${screenshots}${name} ${width} ${colorScheme}.png`,
              fullPage: true,
            });
            await page.evaluate(axe);
            const found = await page.evaluate<Findings>("axe.run()");
            expect(found.violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
            expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
            expect(messages.filter((text) => /policy|blocked/i.test(text))).toEqual([]);
            page.removeAllListeners("console");
          },
        );
      });

      it("is walked through by the keyboard alone", async () => {
        await page.goto(addressOf("none", "/"));
        await page.keyboard.press("Tab");
        await page.keyboard.press("Tab");
        await page.keyboard.type(`gopher://127.0.0.1:${servers["gopher"]?.port}/`);
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/gopher\//);
        const menu = page.url();
        await page.getByRole("link", { name: "Skip to the content" }).focus();
        await page.keyboard.press("Enter");
        await page.keyboard.press("Tab");
        expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
        await page.keyboard.press("Enter");
        await page.waitForURL((url) => !url.href.startsWith(menu));
        expect(await page.title()).not.toBe("");
      });

      it("runs no script, whatever a server sends", async () => {
        await page.goto(addressOf("ftp", "/ftp/HOST/pub/readme.txt"));
        expect(await page.evaluate("document.querySelectorAll('main b, script').length")).toBe(0);
      });
    });
  });
});
