import { createClient, type DirectoryResource, type Entry } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { gopher } from "@anyscheme/scheme-gopher";
import { describe, expect, it } from "vitest";
import { linksOf } from "../src/links.ts";
import type { GatewayReply } from "../src/message.ts";
import { show } from "../src/show.ts";
import { startFixture } from "./serve.ts";

const client = createClient({ schemes: [gopher()] });
const url = client.parse("gopher://h.example/1/");

/** A menu that counts the entries that are taken out of it. */
function countingMenu(length: number): { menu: DirectoryResource; pulled: () => number } {
  let pulled = 0;
  const entry: Entry & { itemType: string } = { name: "A document", kind: "text", itemType: "0", url };
  const menu: DirectoryResource = {
    kind: "directory",
    url,
    redirectChain: [],
    plan: { url, steps: [] },
    completeness: Promise.resolve("verified"),
    async *[Symbol.asyncIterator]() {
      while (pulled < length) {
        pulled++;
        yield entry;
      }
    },
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { menu, pulled: () => pulled };
}

describe("the page of a menu, for a client that reads nothing for a while", () => {
  it("takes no further entry before what the others made is written", async () => {
    const { menu, pulled } = countingMenu(1_000);
    let written = "";
    const shown = (): number => written.split('class="kind"').length - 1;
    const ahead: number[] = [];
    const reply: GatewayReply = {
      headOnly: false,
      begun: true,
      begin: () => undefined,
      async write(chunk) {
        written += String(chunk);
        // Whoever does not wait for this goes on meanwhile.
        for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
        ahead.push(pulled() - shown());
      },
      end(last = "") {
        written += last;
      },
      cut: () => undefined,
    };
    const address = { view: "page", url: url.href, from: 0 } as const;
    const links = linksOf(client, false, "");
    const toDownloads = (): void => undefined;
    const limits = { maxTextBytes: 1, maxRawBytes: 1, toDownloads };
    const showing = { client, links, address, events: [], wish: {}, ...limits };
    await show(menu, showing, reply);
    expect(shown()).toBe(1_000);
    expect(ahead.length).toBeGreaterThan(5);
    expect(new Set(ahead)).toEqual(new Set([0]));
  });
});

describe("the page of a menu that its server sends line by line", () => {
  it("shows each line before the next one has arrived", async () => {
    let goOn = (): void => undefined;
    await using server = await startScriptedServer(async (peer) => {
      await peer.line();
      for (const name of ["first", "second"]) {
        peer.send(`0${name} line\t/a\th\t70\r\n`);
        await new Promise<void>((resolve) => (goOn = resolve));
      }
      peer.send(".\r\n");
    });
    await using fixture = await startFixture([server.port]);
    const response = await fetch(`${fixture.origin}/gopher/127.0.0.1:${server.port}/1`);
    let text = "";
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (const name of ["first", "second"])
        if (text.endsWith("</li>\n") && text.includes(`${name} line`)) goOn();
    }
    expect(text).toMatch(/first line[^]*second line[^]*<\/ul>/);
  });
});
