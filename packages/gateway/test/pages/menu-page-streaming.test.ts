import { createClient, type DirectoryResource, type DirectoryEntry } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { gopher } from "@anyscheme/scheme-gopher";
import { describe, expect, it } from "vitest";
import { createLinkBuilder } from "../../src/pages/link-builder.ts";
import type { GatewayResponse } from "../../src/http/response.ts";
import { writeResourceResponse } from "../../src/pages/write-resource-response.ts";
import { startTestGateway } from "../test-gateway.ts";

const gopherClient = createClient({ schemes: [gopher()] });
const menuUrl = gopherClient.parse("gopher://h.example/1/");

/** Returns a menu resource that counts the entries which the gateway has requested. */
function createCountingMenu(length: number): { menu: DirectoryResource; pulled: () => number } {
  let pulled = 0;
  const entry: DirectoryEntry & { itemType: string } = {
    name: "A document",
    kind: "text",
    itemType: "0",
    url: menuUrl,
  };
  const menu: DirectoryResource = {
    kind: "directory",
    url: menuUrl,
    redirectChain: [],
    plan: { url: menuUrl, steps: [] },
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

describe("the gateway waits for a slow client of a menu page", () => {
  it("the gateway reads no further menu entry until the markup of the earlier entries is written", async () => {
    const { menu, pulled } = createCountingMenu(1_000);
    let written = "";
    const countWritten = (): number => written.split('class="kind"').length - 1;
    const ahead: number[] = [];
    const response: Partial<GatewayResponse> = {
      isHeadRequest: false,
      headersSent: true,
      setHead: () => undefined,
      async write(chunk) {
        written += String(chunk);
        // A renderer that does not wait for the client would read more entries in these event-loop turns.
        for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
        ahead.push(pulled() - countWritten());
      },
      end(last = "") {
        written += last;
      },
      destroy: () => undefined,
    };
    const route = { view: "page", url: menuUrl.href, firstEntryIndex: 0 } as const;
    const links = createLinkBuilder(gopherClient, false, "");
    const limits = { maxTextBytes: 1, maxRawBytes: 1 };
    const opened = { resource: menu, countAsDownload: () => undefined };
    await writeResourceResponse(opened, {
      response: response as GatewayResponse,
      client: gopherClient,
      linkBuilder: links,
      gatewayPath: route,
      traceEvents: [],
      ...limits,
    });
    expect(countWritten()).toBe(1_000);
    expect(ahead.length).toBeGreaterThan(5);
    expect(new Set(ahead)).toEqual(new Set([0]));
  });
});

describe("the gateway does not wait for the end of a menu", () => {
  it("the gateway sends each menu line to the browser before the next line arrives", async () => {
    let sendNext = (): void => undefined;
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      for (const name of ["first", "second"]) {
        peer.send(`0${name} line\t/a\th\t70\r\n`);
        await new Promise<void>((resolve) => (sendNext = resolve));
      }
      peer.send(".\r\n");
    });
    await using fixture = await startTestGateway([server.port]);
    const response = await fetch(`${fixture.origin}/gopher/127.0.0.1:${server.port}/1`);
    let text = "";
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (const name of ["first", "second"])
        if (text.endsWith("</li>\n") && text.includes(`${name} line`)) sendNext();
    }
    expect(text).toMatch(/first line[^]*second line[^]*<\/ul>/);
  });
});
