import { type LoopbackServer, getPlannedBytes } from "@anyscheme/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GopherRequestOptions, GopherResource } from "../../src/index.ts";
import {
  dereferenceAndCheckRequest,
  startGopherServer,
  readBodyTextAndCompleteness,
  createGopherClient,
  readMenuEntriesUntilFailure,
  matchErrorWithCode,
} from "../scripted-gopher-server.ts";
import {
  CAPTURED_ATTRIBUTES_OF_ALL_ITEMS,
  SUBMITTED_GOPHER_PLUS_FORM,
  startGopherdReplayServer,
} from "./gopherd-responses.ts";

let gopherdServer: LoopbackServer;
beforeAll(async () => {
  gopherdServer = await startGopherdReplayServer();
});
afterAll(() => gopherdServer.stop());

const createServerUrl = (path: string): `gopher://${string}` =>
  `gopher://127.0.0.1:${gopherdServer.port}/${path}`;
const getItem = (path: string, options?: GopherRequestOptions): Promise<GopherResource> =>
  createGopherClient(gopherdServer.port).dereference(createServerUrl(path), options);
const getLastRequest = (): string | undefined =>
  gopherdServer.connections.at(-1)?.received.toString("latin1");

describe("the client reads the menu of a Gopher+ server", () => {
  it("the client yields the menu items with a Gopher+ tag, and their URLs contain the tag", async () => {
    const { entries: found } = await readMenuEntriesUntilFailure(await getItem("1%09%09+"));
    expect(found.map(({ kind, plus, url }) => [kind, plus, url?.href])).toEqual([
      ["text", "+", "gopher://localhost/00/hello.txt%09%09+"],
      ["text", "?", "gopher://localhost/00/order%09%09?"],
      ["image", "+", "gopher://localhost/I9/pic.gif%09%09+"],
      ["menu", "+", "gopher://localhost/11/views%09%09+"],
      ["error", "+", undefined],
    ]);
  });
});

describe("the client reads the attributes of Gopher+ items", () => {
  it.each([
    ["00/hello.txt%09%09!", "0/hello.txt\t!\r\n"],
    ["00/hello.txt%09%09!+ABSTRACT%20+VIEWS", "0/hello.txt\t!+ABSTRACT +VIEWS\r\n"],
  ])("the client reads the attributes of the item %s", async (path, request) => {
    const resource = await getItem(path);
    expect(getLastRequest()).toBe(request);
    if (!("attributes" in resource)) throw new Error("it has no attributes");
    const attributes = await resource.attributes();
    expect(attributes.item?.name).toBe("hello");
    expect(attributes.views().map(({ url }) => url?.href)).toEqual([
      createServerUrl("00/hello.txt%09%09+Text/plain%20En_US"),
    ]);
    expect(await resource.completeness).toBe("verified");
  });

  it("the client reads the attributes of an item as text", async () => {
    const [text] = await readBodyTextAndCompleteness(await getItem("1%09%09!"));
    expect(text).toMatch(/^\+INFO: 1Gopher Testing Labs\t/);
  });

  it.each(["1%09%09$", "11/views%09%09+application/gopher+-menu%20En_US"])(
    "the client reads the attributes of all items of the directory %s",
    async (path) => {
      const { entries: found, fault } = await readMenuEntriesUntilFailure(await getItem(path));
      expect(fault).toBeUndefined();
      expect(found[0]).toMatchObject({
        name: "hello",
        kind: "text",
        modified: new Date("2026-11-20T20:57:20Z"),
      });
      expect(found[0]?.attributes?.views().map(({ url }) => url?.href)).toEqual([
        "gopher://localhost/00/hello.txt%09%09+Text/plain%20En_US",
      ]);
    },
  );

  it("the client reads every block, with a form and an abstract, in the attributes of all items", async () => {
    const { entries: found } = await readMenuEntriesUntilFailure(await getItem("1%09%09$"));
    expect(
      found.map(({ name, attributes }) => [name, attributes?.blocks.map((block) => block.name)]),
    ).toEqual([
      ["hello", ["+INFO", "+ADMIN", "+VIEWS"]],
      ["order", ["+INFO", "+ADMIN", "+VIEWS", "+ASK"]],
      ["pic", ["+INFO", "+ADMIN", "+VIEWS"]],
      ["views", ["+INFO", "+ADMIN", "+VIEWS"]],
      ["(NULL)", ["+INFO", "+ADMIN", "+ABSTRACT"]],
    ]);
    expect(found[1]?.attributes?.ask).toHaveLength(6);
    expect(found[4]?.attributes?.abstract).toBe("A short abstract\nof the hello file");
  });

  it("the attributes of a mirror describe an item of the mirrored type, with its default view", async () => {
    await using other = await startGopherServer(
      "+-1\r\n+INFO: 0a\ta\th\t70\t+\r\n+ADMIN:\r\n Admin: x\r\n+INFO: +b\tb\th2\t70\t+\r\n.\r\n",
    );
    const { entries } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(other, "1%09%09$"),
    );
    expect(
      entries.map(({ kind, attributes }) => [
        kind,
        attributes?.item?.fault,
        attributes?.views()[0]?.url?.href,
      ]),
    ).toEqual([
      ["text", undefined, "gopher://h/0a%09%09+Text/plain"],
      ["mirror", undefined, "gopher://h2/0b%09%09+Text/plain"],
    ]);
  });

  it("a request for the attributes of a missing item fails with the error text of the server", async () => {
    await expect(getItem("00/nosuch%09%09!")).rejects.toThrow(
      matchErrorWithCode("not-found", /Cannot find item information/),
    );
  });

  it.each([
    ["maxListingEntries", 2, 2],
    ["maxListingBytes", 400, 2],
    ["maxGopherLineBytes", 50, 1],
  ] as const)(
    "the client ends the attributes of a directory with an error at the limit %s = %i after %i items",
    async (name, limit, expectedCount) => {
      for (const chunks of [[CAPTURED_ATTRIBUTES_OF_ALL_ITEMS], CAPTURED_ATTRIBUTES_OF_ALL_ITEMS.split("")]) {
        await using other = await startGopherServer(["+-1\r\n", ...chunks, ".\r\n"]);
        const resource = await dereferenceAndCheckRequest(other, "1%09%09$", { limits: { [name]: limit } });
        const { entries: found, fault } = await readMenuEntriesUntilFailure(resource);
        expect(found).toHaveLength(expectedCount);
        expect(fault).toEqual(matchErrorWithCode("limit", new RegExp(name)));
      }
    },
  );

  it("the client yields the last, incomplete item when the attributes end too early", async () => {
    await using other = await startGopherServer(
      "+10000\r\n+INFO: 0a\ta\th\t70\t+\r\n+ADMIN:\r\n Admin: x\r\n",
    );
    const { entries: found, fault } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(other, "1%09%09$"),
    );
    expect(found.map(({ name, attributes }) => [name, attributes?.admin?.administrator])).toEqual([
      ["a", "x"],
    ]);
    expect(fault).toEqual(matchErrorWithCode("incomplete"));
  });

  it.each([
    ["+ADMIN:\r\n Admin: x\r\n", "the menu line has no fields"],
    ["+INFO: nothing\r\n", "the menu line has no fields"],
    ["+INFO: 0a\ta\r\n", "the menu line has no host or no valid port"],
  ])(
    "the client yields an entry with a fault for attributes without a valid +INFO line: %j",
    async (text, fault) => {
      await using other = await startGopherServer(`+-1\r\n${text}.\r\n`);
      const { entries: found } = await readMenuEntriesUntilFailure(
        await dereferenceAndCheckRequest(other, "1%09%09$"),
      );
      expect(found).toEqual([expect.objectContaining({ kind: "info", fault })]);
      expect(found[0]?.attributes?.blocks).toHaveLength(1);
    },
  );

  it("the client returns the item itself when a server without Gopher+ is asked for attributes", async () => {
    await using other = await startGopherServer("one\n");
    const resource = await dereferenceAndCheckRequest(other, "0a%09%09!");
    expect("attributes" in resource).toBe(false);
    await using menu = await startGopherServer("0A\t/a\th\t70\r\n.\r\n");
    const { entries: found } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(menu, "1%09%09$"),
    );
    expect(found.map(({ name, attributes }) => [name, attributes])).toEqual([["A", undefined]]);
  });
});

describe("the client selects a view of a Gopher+ item", () => {
  it("the client selects a view from the attributes of an item by media type and language", async () => {
    const before = gopherdServer.connections.length;
    const resource = await getItem("11/views%09%09+", { accept: "text/html", language: "en" });
    expect(gopherdServer.connections.slice(before).map(({ received }) => received.toString())).toEqual([
      "1/views\t!\r\n",
      "1/views\t+text/html En_US\r\n",
    ]);
    expect(resource.url.href).toBe(createServerUrl("11/views%09%09+text/html%20En_US"));
    expect(resource.redirectChain.map(({ fromUrl }) => fromUrl.href)).toEqual([
      createServerUrl("11/views%09%09+"),
    ]);
    expect((await readBodyTextAndCompleteness(resource))[0]).toMatch(/^<HTML>/);
    expect(resource).toMatchObject({ mediaType: "text/html" });
  });

  it("the client plans the selection of a view as a request for the attributes", () => {
    const { steps } = createGopherClient(70).plan("gopher://192.0.2.1/1a%09%09+", { language: "es" });
    expect(steps.map(({ action, spec, description }) => `${action} ${spec} ${description}`)).toEqual([
      "connect 3.1 192.0.2.1 port 70",
      "send 3.4.6 a<tab>!<cr><lf> (without the empty search string)",
      "transfer RFC 1436 Appendix the server sends the attributes until it closes; or up to the end that a Gopher+ header states",
      "close RFC 1436 2 by the server",
      "redirect 3.4.8 to the best view",
    ]);
  });

  it("the client rejects a request for a view that the item does not have, and lists the available views", async () => {
    await expect(getItem("00/hello.txt%09%09+", { accept: "image/*" })).rejects.toThrow(
      matchErrorWithCode("not-found", /the server offers Text\/plain En_US/),
    );
  });

  it.each(["0a", "0a%09%09+text/plain", "0a%09%09!"])(
    "the client does not select a view for the path %s",
    async (path) => {
      await using other = await startGopherServer("+3\r\none");
      await dereferenceAndCheckRequest(other, path, { accept: "text/html" });
    },
  );

  it("the client rejects the selection of a view on a server without Gopher+", async () => {
    await using other = await startGopherServer("one\n");
    await expect(dereferenceAndCheckRequest(other, "0a%09%09+", { accept: "*/*" })).rejects.toThrow(
      matchErrorWithCode("unsupported", /does not support Gopher\+/),
    );
  });
});

describe("the client reads and submits the form of a Gopher+ item", () => {
  const values = {
    "How many volts?": "110",
    Password: "secret",
    Comments: "first line\nsecond line",
    "Loud?": true,
    "Shock now?": "Yes",
  };

  it("the client requests a Gopher+ form, fills it in and submits it", async () => {
    const form = await getItem("00/order%09%09?");
    expect(getLastRequest()).toBe("0/order\t!\r\n");
    if (form.kind !== "form") throw new Error("it is no form");
    expect([form.title, form.fields.length]).toEqual(["order", 6]);
    const url = form.fill(values);
    expect(url.href).toBe(
      createServerUrl(
        "00/order%09%09+%091%0D%0A+-1%0D%0A110%0D%0Asecret%0D%0A2%0D%0Afirst%20line%0D%0Asecond%20line%0D%0A1%0D%0AYes%0D%0A.%0D%0A",
      ),
    );
    const resource = await createGopherClient(gopherdServer.port).dereference(url, { allowForms: true });
    expect(getLastRequest()).toBe(`0/order\t${SUBMITTED_GOPHER_PLUS_FORM}`);
    expect(gopherdServer.connections.at(-1)?.received).toEqual(getPlannedBytes(resource.plan));
    expect((await readBodyTextAndCompleteness(resource))[0]).toBe(
      "You answered:\n110\nsecret\n2\nfirst line\nsecond line\n1\nYes\n",
    );
  });

  it("the client refuses to submit a form without allowForms, with an error that does not contain the form values", async () => {
    const form = await getItem("00/order%09%09?");
    if (form.kind !== "form") throw new Error("it is no form");
    const before = gopherdServer.connections.length;
    const refused = createGopherClient(gopherdServer.port).dereference(form.fill(values));
    await expect(refused).rejects.toThrow(matchErrorWithCode("refused-characters", /allowForms/));
    const error: unknown = await refused.catch((reason: unknown) => reason);
    expect(JSON.stringify(error) + String(error)).not.toContain("secret");
    expect(gopherdServer.connections).toHaveLength(before);
  });

  it("the client rejects a request for the form of an item without a form", async () => {
    await expect(getItem("00/hello.txt%09%09?")).rejects.toThrow(
      matchErrorWithCode("not-found", /no form.*\+ASK/),
    );
  });

  it("the client rejects a request for a form on a server without Gopher+", async () => {
    await using other = await startGopherServer("one\n");
    await expect(dereferenceAndCheckRequest(other, "0a%09%09?")).rejects.toThrow(
      matchErrorWithCode("unsupported", /does not support Gopher\+/),
    );
  });

  it("the client closes the connection after the last line of a form", async () => {
    await using other = await startGopherServer("+-1\r\n+ASK:\r\n Ask: a\r\n.\r\n", "stay");
    await dereferenceAndCheckRequest(other, "0a%09%09?");
    await other.connections[0]?.closed;
  });

  it("the client creates the form of a Gopher search without opening a connection", async () => {
    const before = gopherdServer.connections.length;
    const form = await getItem("7/find");
    if (form.kind !== "form") throw new Error("it is no form");
    expect(form.fields).toEqual([{ name: "words", keyword: "", label: "Words to search for", kind: "text" }]);
    expect(form.fill({ words: "two words+" }).href).toBe(createServerUrl("7/find%09two%20words+"));
    expect(form.fill({}).href).toBe(createServerUrl("7/find%09"));
    expect(() => form.fill({ other: "x" })).toThrow(/no field "other"/);
    expect(() => form.fill({ words: true })).toThrow(/the value must be text/);
    expect(() => form.fill({ words: "a\tb" })).toThrow(/tab/);
    expect(gopherdServer.connections).toHaveLength(before);
  });
});
