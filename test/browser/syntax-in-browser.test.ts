import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleForBrowser } from "../packaging/browser-bundle.ts";
import { type ChromiumBrowser, openChromium } from "./open-chromium.ts";
import { extractUrlsToJson, parseWithAnyschemeToJson } from "./syntax-in-browser.ts";

const urlTexts = [
  "ftp://ftp.host.example/%2Fetc/motd;type=a",
  "ftp://user:secret@host.example:2121/a//b%20c",
  "ftp://user:@host.example/;type=d",
  "ftp://a?b@host.example/",
  "FTP://Host.Example",
  "gopher://host.example:7070/7a%20selector%09words%09+view",
  "gopher://host.example/0a/../b",
  "gopher://host.example",
  "x-own:any;thing?at=all",
  "x-own://user@host.example:99/path",
  // URLs that deviate from the grammar of RFC 1738.
  "ftp://host.example/~user/{a}|b",
  "ftp://host.example/FILE.TXT;1",
  "ftp://host.example/a#part",
  "ftp://my_host.example./",
  "ftp://host.example:/",
  "gopher://[2001:DB8::1]/1",
  "gopher://bücher.example/0déjà vu".replace(" ", "%20"),
  "gopher://host.example/0🐙",
  // Texts for which different URL parsers find different hosts, or no URL.
  "",
  "host.example/path",
  "ftp:/host.example/",
  "ftp:///path",
  "ftp://a@b@host.example/",
  "ftp://host.example\\@other.example/",
  "ftp://127.1/",
  "ftp://0x7f.0.0.1/",
  "ftp://１２７.0.0.1/",
  "ftp://host.example:65536/",
  "ftp://host.example/;type=x",
  "gopher://user@host.example/",
  "gopher://host.example/0a b",
  "gopher://host.example/0%4",
  "gopher://host.example/0\ud800",
  "gopher://ﬁ.example/",
];

const mailWithUrls = `Yes, Jim, I found it under <URL:ftp://info.apple.com/dev/
elop> but you can probably pick it up from <URL:ftp://ds.in-
ternic.net/rfc>. Note the warning in <URL:gopher://host.example/00/ünicode#part>, or (ftp://host.example/a).`;

describeIfServerAvailable("chromium", "the modules syntax and extract in a browser", () => {
  let browser: ChromiumBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await openChromium();
    page = await browser.context.newPage();
    await page.addScriptTag({
      content: await bundleForBrowser('export * from "./browser/syntax-in-browser.ts";', "script"),
    });
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("the bundle runs in a browser without Node globals", async () => {
    expect(
      await page.evaluate("[typeof document, typeof process, typeof anyscheme.parseWithAnyschemeToJson]"),
    ).toEqual(["object", "undefined", "function"]);
  });

  it.each(urlTexts)("a browser parses the text %j as Node.js does", async (text) => {
    for (const mode of ["rfc1738", "modern"] as const) {
      const inBrowser = await page.evaluate(
        `anyscheme.parseWithAnyschemeToJson(${JSON.stringify(text)}, "${mode}")`,
      );
      expect(inBrowser).toBe(parseWithAnyschemeToJson(text, mode));
    }
  });

  it("a browser finds URLs in a web stream as Node.js does", async () => {
    const inNode = await extractUrlsToJson(mailWithUrls);
    expect(JSON.parse(inNode)).toHaveLength(5);
    expect(await page.evaluate(`anyscheme.extractUrlsToJson(${JSON.stringify(mailWithUrls)})`)).toBe(inNode);
  });
});
