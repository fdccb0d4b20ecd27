import { anyAddress, createClient } from "@anyscheme/core";
import { news } from "@anyscheme/scheme-others/news";
import { startNntpTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { startGateway } from "../../src/index.ts";
import { sendRequestToGateway } from "../test-gateway.ts";

describe("the gateway shows the newsgroups of a server with their descriptions", () => {
  it.each([
    ["/news/*", ["misc.test", "alt.test"], ""],
    ["/~name/news/*", ["alt.test", "misc.test"], ' aria-sort="ascending"'],
  ])("the page %s has the groups %j, in columns for name and description", async (path, groups, sorted) => {
    await using server = await startNntpTestServer({
      groups: {
        "misc.test": { description: "Tests & <b>more</b>", articles: [] },
        "alt.test": { description: "x".repeat(300), articles: [] },
      },
    });
    const servers = [{ host: "127.0.0.1", port: server.port }];
    const policy = anyAddress({ allowPorts: { nntp: [server.port] } });
    await using client = createClient({ schemes: [news({ servers })], policy });
    await using gateway = await startGateway(client, { port: 0 });
    const { status, text } = await sendRequestToGateway(gateway.port, path);
    expect(status).toBe(200);
    expect(text).toContain(
      `<tr><th scope="col"${sorted}><a href="/~name/news/*">Name</a></th><th scope="col">Description</th></tr>`,
    );
    expect(Array.from(text.matchAll(/<tr><td><a href="[^"]+">([^<]+)<\/a>/g), ([, name]) => name)).toEqual(
      groups,
    );
    expect(text).toContain("<td>Tests &amp; &lt;b&gt;more&lt;/b&gt;</td></tr>");
    expect(text).toContain(`<td>${"x".repeat(199)}…</td></tr>`);
  });
});
