import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { lynxDump, requireServer } from "@anyscheme/servers";
import { describeWithServer } from "@anyscheme/servers/describe-server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Browser, openBrowser } from "./chromium.ts";
import { type Site, startSite } from "./gateway-site.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshots = new URL("../../.screenshots/", import.meta.url).pathname;

interface Findings {
  readonly violations: readonly { readonly id: string; readonly help: string }[];
}

/** The pages that are looked at, by the name of their screenshot, and what stands in them. */
const PAGES: readonly (readonly [name: string, path: string, status: number, holds: string])[] = [
  ["home", "/", 200, "Open a URL"],
  ["failure", "/gopher/127.0.0.1:1/", 403, "reserved space"],
  ["menu", "/gopher/{gopher}/1/", 200, "A text file"],
  ["text", "/ftp/{ftp}/pub/readme.txt", 200, "<b>markup</b>"],
  ["listing", "/ftp/{ftp}/pub/", 200, "a long name"],
  ["listing by size", "/~size/ftp/{ftp}/pub/", 200, "readme.txt"],
  ["form", "/gopher/{plus}/0/order%09%09?", 200, "Extra cheese"],
  ["hits", "/wais/{wais}/recipes?onion", 200, "score"],
  ["prospero", "/prospero/{prospero}//docs", 200, "a paper.txt"],
  ["group", "/news/misc.test", 200, "Re: Zithers"],
  ["article", "/news/three@example.invalid", 200, "What is said about"],
  ["service", "/telnet/guest@host.example:2323/", 200, "guest"],
  ["mailbox", "/mailto/person@host.example", 200, "person@host.example"],
];

/** Each width and each scheme of colours is checked in full once; what else there is to see are colours. */
const SCREENS = [
  { width: 320, colorScheme: "light", rules: "" },
  { width: 320, colorScheme: "dark", rules: "{ runOnly: ['color-contrast'] }" },
  { width: 1600, colorScheme: "light", rules: "{ runOnly: ['color-contrast'] }" },
  { width: 1600, colorScheme: "dark", rules: "" },
] as const;

let site: Site;

describeWithServer("vsftpd", "the gateway before vsftpd", () => {
  describeWithServer("gophernicus", "and gophernicus", () => {
    describeWithServer("inn2", "and INN", () => {
      beforeAll(async () => {
        site = await startSite();
      });
      afterAll(async () => {
        await site?.[Symbol.asyncDispose]();
      });
      describeWithServer("chromium", "in a browser", inBrowser);
      describeWithServer("lynx", "in Lynx", inLynx);
      describeWithServer("curl", "as the proxy of curl", throughCurl);
    });
  });
});

function inBrowser(): void {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    await mkdir(screenshots, { recursive: true });
    browser = await openBrowser();
    page = await browser.context.newPage();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it.each(PAGES)(
    "%s: nothing to complain of for axe, and nothing sticks out, however wide, light or dark",
    async (name, path, status, holds) => {
      const messages: string[] = [];
      page.on("console", (message) => messages.push(message.text()));
      const response = await page.goto(site.address(path));
      expect(response?.status()).toBe(status);
      expect(await page.innerText("main")).toContain(holds);
      await page.evaluate(axe);
      for (const { width, colorScheme, rules } of SCREENS) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        const file = `${screenshots}${name} ${width} ${colorScheme}.png`;
        await page.screenshot({ path: file, fullPage: true });
        const found = await page.evaluate<Findings>(`axe.run(${rules})`);
        expect(found.violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      }
      expect(messages.filter((text) => /policy|blocked/i.test(text))).toEqual([]);
      page.removeAllListeners("console");
    },
  );

  /** Presses Tab until the element that is reached fits. */
  async function tabTo(fits: string): Promise<void> {
    const reached = `(() => { const here = document.activeElement; return ${fits}; })()`;
    for (let pressed = 0; pressed < 40; pressed++) {
      if (await page.evaluate<boolean>(reached)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab never leads to ${fits}`);
  }

  it("is walked through by the keyboard alone", async () => {
    await page.goto(site.address("/"));
    await tabTo("here.id === 'url'");
    await page.keyboard.type(site.address("{gopher}").replace(/^.*(?=127)/, "gopher://"));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/gopher\//);
    const menu = page.url();
    await tabTo("here.className === 'skip'");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.href.startsWith(menu));
    expect(await page.title()).not.toBe("");
  });

  it("a form is filled in and sent by the keyboard alone", async () => {
    await page.goto(site.address("/gopher/{plus}/0/order%09%09?"));
    await tabTo("here.value === 'Heinz'");
    await page.keyboard.press("End");
    await page.keyboard.type(" & Söhne");
    await tabTo("here.type === 'password'");
    await page.keyboard.type("needle");
    await tabTo("here.tagName === 'TEXTAREA'");
    await page.keyboard.type("one");
    await page.keyboard.press("Enter");
    await page.keyboard.type("two");
    await tabTo("here.type === 'checkbox'");
    await page.keyboard.press("Space");
    await tabTo("here.tagName === 'SELECT'");
    await page.keyboard.press("ArrowDown");
    await tabTo("here.type === 'submit' && here.closest('main') !== null");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/~form$/);
    expect(await page.innerText("main")).toContain("Thank you");
    const sent = Buffer.from(site.filledIn.join("\n"), "latin1").toString("utf8").split("\n");
    expect(sent).toEqual(["+-1", "Heinz & Söhne", "needle", "2", "one", "two", "0", "large"]);
    expect(await page.content()).not.toContain("needle");
  });

  it("leads from hits to a document, and from a group to an article and the one it answers", async () => {
    await page.goto(site.address("/wais/{wais}/recipes?onion"));
    const scores = await page.locator("ul.menu li").allInnerTexts();
    expect(scores.map((text) => /score \d+/.test(text))).toEqual([true, true]);
    await page.getByRole("link", { name: "Onion soup" }).click();
    expect(await page.innerText("pre")).toContain("onion onion onion");

    await page.goto(site.address("/news/misc.test"));
    expect(await page.locator("ul.thread ul ul a").allInnerTexts()).toEqual(["Re: Zithers"]);
    await page.locator("ul.thread ul ul a").click();
    expect(await page.innerText("main")).toContain("What is said about Re: Zithers.");
    await page.getByRole("link", { name: "one@example.invalid" }).click();
    expect(await page.innerText("main")).toContain("What is said about Zithers.");
  });

  it("runs no script, whatever a server sends", async () => {
    await page.goto(site.address("/ftp/{ftp}/pub/readme.txt"));
    expect(await page.evaluate("document.querySelectorAll('main b, script').length")).toBe(0);
  });
}

function inLynx(): void {
  it.each(PAGES.filter(([, , status]) => status === 200))("%s", async (_, path, __, holds) => {
    expect(await lynxDump(site.address(path))).toContain(holds);
  });

  it("reads a menu line by line, with a place for words to search for", async () => {
    const menu = await lynxDump(site.address("/gopher/{gopher}/1/"));
    expect(menu).toMatch(/\* text \[\d+\]A text file/);
    expect(menu).toMatch(/\* search\s+Search\s*_+\s+\(BUTTON\) Search/);
  });

  it.each([
    ["gopher", "{gopher}/1/", "A folder"],
    ["ftp", "{ftp}/pub/", "readme.txt"],
    ["ftp", "{ftp}/pub/readme.txt", "A text with <b>markup</b>"],
    ["wais", "{wais}/recipes?onion", "Onion soup"],
  ])("uses it as the proxy of %s://%s", async (scheme, path, holds) => {
    const proxies = { [scheme]: site.address("/") };
    const dump = await lynxDump(site.url(scheme, path), { proxies });
    expect(dump).toContain(holds);
    // What it lists are URLs of the scheme itself.
    expect(dump).toMatch(new RegExp(`\\d\\. ${scheme}://127`));
  });
}

function throughCurl(): void {
  const curl = async (...args: string[]): Promise<string> => {
    const program = requireServer("curl");
    const call = promisify(execFile)(program.path("curl"), ["-s", "-S", ...args], {
      env: { ...process.env, ...program.environment },
    });
    return (await call).stdout;
  };

  it.each([
    ["ftp", "{ftp}/pub/readme.txt", /^A text with <b>markup/],
    ["ftp", "{ftp}/pub/", /^<!doctype html>[^]*readme\.txt/],
  ])("gets %s://%s: a file as it is, a folder as a page", async (scheme, path, text) => {
    expect(await curl("-x", site.address("/"), site.url(scheme, path))).toMatch(text);
  });

  it("gets URLs of schemes for which it has no proxies", async () => {
    const text = await curl(
      "--request-target",
      site.url("gopher", "{gopher}/0/hello.txt"),
      site.address("/"),
    );
    expect(text).toMatch(/^hello\r?\n/);
  });

  it("gets them by their paths as well; as a proxy for gopher, curl asks for a tunnel, which there is not", async () => {
    expect(await curl(site.address("/~raw/gopher/{gopher}/0/hello.txt"))).toMatch(/^hello\r?\n/);
    await expect(curl("-x", site.address("/"), site.url("gopher", "{gopher}/0/hello.txt"))).rejects.toThrow(
      "CONNECT tunnel failed, response 405",
    );
  });

  it("gets a part of a file", async () => {
    expect(await curl("-x", site.address("/"), "-r", "2-5", site.url("ftp", "{ftp}/pub/readme.txt"))).toBe(
      "text",
    );
  });
}
