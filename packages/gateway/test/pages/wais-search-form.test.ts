import { anyAddress, createClient } from "@anyscheme/core";
import { wais } from "@anyscheme/scheme-others/wais";
import { startWaisTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { startGateway } from "../../src/index.ts";
import { sendRequestToGateway } from "../test-gateway.ts";

const DOCUMENT = { headline: "Apples", localId: "0 0 /apples", contents: { TEXT: "apple\n" } };

describe("the gateway shows a search form for a WAIS database (RFC 1738 §3.9)", () => {
  it.each([
    ["a database", "fruit"],
    ["a search with a result", "fruit?apple"],
    ["a search without a result", "fruit?none"],
  ])("the page of %s has a form for search words", async (_, path) => {
    await using server = await startWaisTestServer({ databases: [{ name: "fruit", documents: [DOCUMENT] }] });
    const policy = anyAddress({ allowPorts: { wais: [server.port] } });
    await using client = createClient({ schemes: [wais()], policy });
    await using gateway = await startGateway(client, { port: 0 });
    const page = await sendRequestToGateway(gateway.port, `/wais/127.0.0.1:${server.port}/${path}`);
    expect(page.text.match(/<form action="\/~search"/g)).toHaveLength(1);
    const url = /<input type="hidden" name="url" value="([^"]+)" \/>/.exec(page.text)?.[1] ?? "";
    const query = new URLSearchParams({ url, q: "apple pie" }).toString();
    const redirect = await sendRequestToGateway(gateway.port, `/~search?${query}`);
    const location = String(redirect.headers["location"]);
    expect(location).toBe(`/wais/127.0.0.1:${server.port}/fruit?apple%20pie`);
    expect((await sendRequestToGateway(gateway.port, location)).text).toContain(">Apples</a>");
  });

  it("the page of a document and of a missing database have no form for search words", async () => {
    await using server = await startWaisTestServer({ databases: [{ name: "fruit", documents: [DOCUMENT] }] });
    const policy = anyAddress({ allowPorts: { wais: [server.port] } });
    await using client = createClient({ schemes: [wais()], policy });
    await using gateway = await startGateway(client, { port: 0 });
    const host = `127.0.0.1:${server.port}`;
    const found = await sendRequestToGateway(gateway.port, `/wais/${host}/fruit?apple`);
    const document = /<a href="([^"]+)">Apples/.exec(found.text)?.[1] ?? "";
    const page = await sendRequestToGateway(gateway.port, document);
    expect([page.status, page.text.includes("/~search")]).toEqual([200, false]);
    const missing = await sendRequestToGateway(gateway.port, `/wais/${host}/none`);
    expect([missing.status, missing.text.includes("/~search")]).toEqual([404, false]);
  });
});
