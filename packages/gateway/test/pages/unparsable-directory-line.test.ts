import { createClient, type DirectoryEntry, type Scheme } from "@anyscheme/core";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { describe, expect, it } from "vitest";
import { startGateway } from "../../src/index.ts";
import { sendRequestToGateway, startTestGateway, startGopherServer } from "../test-gateway.ts";

/** Returns a scheme whose directory has the given entries. */
function createDirectoryScheme(entries: readonly DirectoryEntry[]): Scheme {
  return {
    name: "x-directory",
    syntax: createGenericSyntax({ schemes: ["x-directory"] }),
    plan: (url) => ({ url, steps: [] }),
    access: (_, context) =>
      Promise.resolve(
        context.createDirectory({ entries: ReadableStream.from(entries), completeness: "verified" }),
      ),
  };
}

describe("the gateway shows a directory line that cannot be parsed", () => {
  it("the gateway shows an invalid line in a menu page with the fault of the line", async () => {
    await using server = await startGopherServer({
      "": "0About\t/about\th.example\t70\r\nno <fields>\r\n.\r\n",
    });
    await using fixture = await startTestGateway([server.port]);
    const { text } = await fixture.request(`/gopher/127.0.0.1:${server.port}/1`);
    expect(text).toContain('no &lt;fields&gt; <span class="failure">the menu line has no fields</span>');
    expect(text.match(/class="failure"/g)).toHaveLength(1);
  });

  it("the gateway shows an invalid line in a table with the fault of the line", async () => {
    const readable: DirectoryEntry = { name: "a", kind: "file", url: undefined };
    const unreadable: DirectoryEntry = { name: "a <b>", kind: "unknown", url: undefined, fault: "no size" };
    await using client = createClient({ schemes: [createDirectoryScheme([readable, unreadable])] });
    await using gateway = await startGateway(client, { port: 0 });
    const { text } = await sendRequestToGateway(gateway.port, "/x-directory/h/");
    expect(text).toContain('<td>a &lt;b&gt; <span class="failure">no size</span></td>');
    expect(text.match(/class="failure"/g)).toHaveLength(1);
  });
});
