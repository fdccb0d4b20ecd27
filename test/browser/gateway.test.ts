import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { dumpPageWithLynx, requireServerProgramFiles } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChromiumBrowser, openChromium } from "./open-chromium.ts";
import { type GatewayWithServers, startGatewayWithServers } from "./gateway-with-servers.ts";

const axeScript = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshotFolder = new URL("../../.screenshots/", import.meta.url).pathname;

interface AxeFindings {
  readonly violations: readonly { readonly id: string; readonly help: string }[];
}

/** The checked pages of the gateway: the screenshot's name, the path, the HTTP status and a text on the page. */
const CHECKED_PAGES: readonly (readonly [name: string, path: string, status: number, holds: string])[] = [
  ["home", "/", 200, "Open a URL"],
  ["error", "/gopher/127.0.0.1:1/", 403, "below 1024"],
  ["menu", "/gopher/{gopher}/1/", 200, "A text file"],
  ["text", "/ftp/{ftp}/pub/readme.txt", 200, "<b>markup</b>"],
  ["listing", "/ftp/{ftp}/pub/", 200, "a long file name"],
  ["listing without a final slash", "/ftp/{ftp}/pub", 200, "a long file name"],
  ["listing by size", "/~size/ftp/{ftp}/pub/", 200, "readme.txt"],
  ["form", "/gopher/{plus}/0/order%09%09?", 200, "Extra cheese"],
  ["database", "/wais/{wais}/recipes", 200, "Search this database"],
  ["hits", "/wais/{wais}/recipes?onion", 200, "score"],
  ["prospero", "/prospero/{prospero}//docs", 200, "a paper.txt"],
  ["groups", "/news/*", 200, "For testing only"],
  ["end of a listing", "/~page+5000/news/*", 200, "The listing has only"],
  ["group", "/news/misc.test", 200, "Re: Zithers"],
  ["article", "/news/three@example.invalid", 200, "This article is about"],
  ["service", "/telnet/guest@host.example:2323/", 200, "guest"],
  ["mailbox", "/mailto/person@host.example", 200, "person@host.example"],
];

/**
 * The widths and color schemes in which the browser tests check the gateway's pages. Two of the four screens are
 * checked with all rules of axe, and the other two for contrast only.
 */
const CHECKED_SCREENS = [
  { width: 320, colorScheme: "light", rules: "" },
  { width: 320, colorScheme: "dark", rules: "{ runOnly: ['color-contrast'] }" },
  { width: 1600, colorScheme: "light", rules: "{ runOnly: ['color-contrast'] }" },
  { width: 1600, colorScheme: "dark", rules: "" },
] as const;

let gatewaySite: GatewayWithServers;

describeIfServerAvailable("vsftpd", "the gateway in front of vsftpd", () => {
  describeIfServerAvailable("gophernicus", "and gophernicus", () => {
    describeIfServerAvailable("inn2", "and INN", () => {
      beforeAll(async () => {
        gatewaySite = await startGatewayWithServers();
      });
      afterAll(async () => {
        await gatewaySite?.[Symbol.asyncDispose]();
      });
      describeIfServerAvailable("chromium", "in a browser", defineBrowserTests);
      describeIfServerAvailable("lynx", "the gateway in Lynx", defineLynxTests);
      describeIfServerAvailable("curl", "the gateway as the proxy of curl", defineCurlTests);
    });
  });
});

function defineBrowserTests(): void {
  let browser: ChromiumBrowser;
  let page: Page;

  beforeAll(async () => {
    await mkdir(screenshotFolder, { recursive: true });
    browser = await openChromium();
    page = await browser.context.newPage();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it.each(CHECKED_PAGES)(
    "the page %s passes axe and fits narrow and wide screens, light and dark",
    async (name, path, status, text) => {
      const messages: string[] = [];
      page.on("console", (message) => messages.push(message.text()));
      const response = await page.goto(gatewaySite.pageUrl(path));
      expect(response?.status()).toBe(status);
      expect(await page.innerText("main")).toContain(text);
      await page.evaluate(axeScript);
      for (const { width, colorScheme, rules } of CHECKED_SCREENS) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        const file = `${screenshotFolder}${name} ${width} ${colorScheme}.png`;
        await page.screenshot({ path: file, fullPage: true });
        const found = await page.evaluate<AxeFindings>(`axe.run(${rules})`);
        expect(found.violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      }
      expect(messages.filter((text) => /policy|blocked/i.test(text))).toEqual([]);
      page.removeAllListeners("console");
    },
  );

  /** Presses the Tab key until the focused element meets a condition. */
  async function pressTabUntil(condition: string): Promise<void> {
    const expression = `(() => { const focused = document.activeElement; return ${condition}; })()`;
    for (let presses = 0; presses < 40; presses++) {
      if (await page.evaluate<boolean>(expression)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the Tab key does not reach an element with ${condition}`);
  }

  it("the gateway opens a URL and follows a link with the keyboard alone", async () => {
    await page.goto(gatewaySite.pageUrl("/"));
    await pressTabUntil("focused.id === 'url'");
    await page.keyboard.type(gatewaySite.testServerUrl("gopher", "{gopher}/1/"));
    await page.keyboard.press("Enter");
    await page.waitForURL(gatewaySite.pageUrl("/gopher/{gopher}/1/"));
    await pressTabUntil("focused.className === 'skip'");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
    const link = await page.evaluate<string>("document.activeElement.href");
    await page.keyboard.press("Enter");
    await page.waitForURL(link);
    expect(await page.innerText("main")).toContain("hello");
  });

  it("a Gopher+ form can be filled in and sent with the keyboard alone", async () => {
    await page.goto(gatewaySite.pageUrl("/gopher/{plus}/0/order%09%09?"));
    await pressTabUntil("focused.value === 'Heinz'");
    await page.keyboard.press("End");
    await page.keyboard.type(" & Söhne");
    await pressTabUntil("focused.type === 'password'");
    await page.keyboard.type("needle");
    await pressTabUntil("focused.tagName === 'TEXTAREA'");
    await page.keyboard.type("one");
    await page.keyboard.press("Enter");
    await page.keyboard.type("two");
    await pressTabUntil("focused.type === 'checkbox'");
    await page.keyboard.press("Space");
    await pressTabUntil("focused.tagName === 'SELECT'");
    await page.keyboard.press("ArrowDown");
    await pressTabUntil("focused.type === 'submit' && focused.closest('main') !== null");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/~form$/);
    expect(await page.innerText("main")).toContain("Thank you");
    const sent = Buffer.from(gatewaySite.receivedGopherFormLines.join("\n"), "latin1")
      .toString("utf8")
      .split("\n");
    expect(sent).toEqual(["+-1", "Heinz & Söhne", "needle", "2", "one", "two", "0", "large"]);
    expect(await page.content()).not.toContain("needle");
  });

  it("pages link search results to documents, newsgroups to articles, and articles to their references", async () => {
    await page.goto(gatewaySite.pageUrl("/wais/{wais}/recipes?onion"));
    const scores = await page.locator("ul.menu li").allInnerTexts();
    expect(scores.map((text) => /score \d+/.test(text))).toEqual([true, true]);
    await page.getByRole("link", { name: "Onion soup" }).click();
    expect(await page.innerText("pre")).toContain("onion onion onion");

    await page.goto(gatewaySite.pageUrl("/news/misc.test"));
    expect(await page.locator("ul.thread ul ul a").allInnerTexts()).toEqual(["Re: Zithers"]);
    await page.locator("ul.thread ul ul a").click();
    expect(await page.innerText("main")).toContain("This article is about Re: Zithers.");
    await page.getByRole("link", { name: "one@example.invalid" }).click();
    expect(await page.innerText("main")).toContain("This article is about Zithers.");
  });

  it("a page shows markup of a file as text and runs no script of the file", async () => {
    await page.goto(gatewaySite.pageUrl("/ftp/{ftp}/pub/readme.txt"));
    expect(await page.evaluate("document.querySelectorAll('main b, script').length")).toBe(0);
  });
}

function defineLynxTests(): void {
  it.each(CHECKED_PAGES.filter(([, , status]) => status === 200))(
    "Lynx shows the page %s",
    async (_, path, __, text) => {
      expect(await dumpPageWithLynx(gatewaySite.pageUrl(path))).toContain(text);
    },
  );

  it("Lynx shows a Gopher menu with a field for search words", async () => {
    const menu = await dumpPageWithLynx(gatewaySite.pageUrl("/gopher/{gopher}/1/"));
    expect(menu).toMatch(/\* text \[\d+\]A text file/);
    expect(menu).toMatch(/\* search\s+Search\s*_+\s+\(BUTTON\) Search/);
  });

  it.each([
    ["gopher", "{gopher}/1/", "A folder"],
    ["ftp", "{ftp}/pub/", "readme.txt"],
    ["ftp", "{ftp}/pub/readme.txt", "A text with <b>markup</b>"],
    ["wais", "{wais}/recipes?onion", "Onion soup"],
  ])("Lynx uses the gateway as the proxy for %s://%s", async (scheme, path, text) => {
    const proxies = { [scheme]: gatewaySite.pageUrl("/") };
    const dump = await dumpPageWithLynx(gatewaySite.testServerUrl(scheme, path), { proxies });
    expect(dump).toContain(text);
    // The links of a page that is fetched through the proxy are URLs of the original scheme, and not of the gateway.
    expect(dump).toMatch(new RegExp(`\\d\\. ${scheme}://127`));
  });
}

function defineCurlTests(): void {
  const runCurl = async (...args: string[]): Promise<string> => {
    const program = requireServerProgramFiles("curl");
    const call = promisify(execFile)(program.path("curl"), ["-s", "-S", ...args], {
      env: { ...process.env, ...program.environment },
    });
    return (await call).stdout;
  };

  it.each([
    ["ftp", "{ftp}/pub/readme.txt", /^A text with <b>markup/],
    ["ftp", "{ftp}/pub/", /^<!doctype html>[^]*readme\.txt/],
  ])(
    "curl gets %s://%s through the proxy, a file as its content and a directory as a page",
    async (scheme, path, text) => {
      expect(await runCurl("-x", gatewaySite.pageUrl("/"), gatewaySite.testServerUrl(scheme, path))).toMatch(
        text,
      );
    },
  );

  it("curl gets a gopher URL through the gateway with --request-target", async () => {
    const text = await runCurl(
      "--request-target",
      gatewaySite.testServerUrl("gopher", "{gopher}/0/hello.txt"),
      gatewaySite.pageUrl("/"),
    );
    expect(text).toMatch(/^hello\r?\n/);
  });

  it("curl gets a gopher URL by its gateway path, and not with -x, which requests a tunnel", async () => {
    expect(await runCurl(gatewaySite.pageUrl("/~raw/gopher/{gopher}/0/hello.txt"))).toMatch(/^hello\r?\n/);
    await expect(
      runCurl("-x", gatewaySite.pageUrl("/"), gatewaySite.testServerUrl("gopher", "{gopher}/0/hello.txt")),
    ).rejects.toThrow("CONNECT tunnel failed, response 405");
  });

  it("curl gets a range of a file through the proxy", async () => {
    expect(
      await runCurl(
        "-x",
        gatewaySite.pageUrl("/"),
        "-r",
        "2-5",
        gatewaySite.testServerUrl("ftp", "{ftp}/pub/readme.txt"),
      ),
    ).toBe("text");
  });
}
