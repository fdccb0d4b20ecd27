import { gopher } from "@anyscheme/scheme-gopher";
import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import { describe, expect, it } from "vitest";
import type { ByteSource } from "@anyscheme/core/plugin";
import { type GopherAttributes, gopherSyntax } from "../../src/index.ts";
import { readGopherAttributes } from "../../src/gopher-plus/read-attributes.ts";
import { createGopherMenuContext } from "../../src/menu/menu-entry.ts";
import { ASK_BLOCK, ROOT_MENU_ATTRIBUTES_RESPONSE } from "./gopherd-responses.ts";

const CLIENT_LIMITS = mergeDefaultLimitsOfSchemes([gopher()]);
const attributesUrl = gopherSyntax.parse("gopher://h.example/0item%09%09!");
const menuServer = createGopherMenuContext(attributesUrl, undefined);

function createChunkSource(text: string, size: number): ByteSource {
  const bytes = Buffer.from(text, "latin1");
  let at = 0;
  return {
    readChunks(take) {
      let more = true;
      for (; at < bytes.length && more; at += size) more = take(bytes.subarray(at, at + size));
      return Promise.resolve(more ? "end" : "more");
    },
    cancel: () => undefined,
  };
}

async function readAttributesText(text: string): Promise<GopherAttributes> {
  const whole = await readGopherAttributes(
    createChunkSource(text, text.length || 1),
    attributesUrl,
    menuServer,
    CLIENT_LIMITS,
  );
  const chunks = await readGopherAttributes(
    createChunkSource(text, 1),
    attributesUrl,
    menuServer,
    CLIENT_LIMITS,
  );
  expect(JSON.stringify(chunks)).toBe(JSON.stringify(whole));
  return whole;
}

describe("the client parses the attributes of a root menu that gopherd sent", () => {
  it("GopherAttributes returns known and unknown attribute blocks in the order of the server", async () => {
    const attributes = await readAttributesText(ROOT_MENU_ATTRIBUTES_RESPONSE);
    expect(attributes.blocks.map(({ name, lines }) => [name, lines.length])).toEqual([
      ["+INFO", 0],
      ["+ADMIN", 8],
      ["+ABSTRACT", 2],
      ["+VERONICA", 1],
      ["+VIEWS", 5],
    ]);
    expect(attributes.block("veronica")?.lines).toEqual(["treewalk: yes"]);
    expect(attributes.block("+SMELL")).toBeUndefined();
  });

  it("GopherAttributes returns the menu item that the block +INFO describes", async () => {
    const { item } = await readAttributesText(ROOT_MENU_ATTRIBUTES_RESPONSE);
    expect(item).toMatchObject({ name: "Gopher Testing Labs", kind: "menu", plus: "+", host: "localhost" });
    expect(item?.url?.href).toBe("gopher://localhost/1%09%09+");
  });

  it("GopherAttributes returns the administrator, the modification date, and all other fields of the block +ADMIN", async () => {
    const { admin } = await readAttributesText(ROOT_MENU_ATTRIBUTES_RESPONSE);
    expect(admin?.administrator).toBe("Test Administrator <gopher@localhost>");
    expect(admin?.modified).toEqual(new Date("2026-11-20T20:57:20Z"));
    expect(admin?.fields.map(([name]) => name)).toEqual([
      "Admin",
      "Mod-Date",
      "TTL",
      "Site",
      "Org",
      "Loc",
      "Geog",
      "Version",
    ]);
    expect(admin?.fields[6]).toEqual(["Geog", "44 58 48 N 93 15 49 W"]);
  });

  it("GopherAttributes returns the text of the block +ABSTRACT", async () => {
    expect((await readAttributesText(ROOT_MENU_ATTRIBUTES_RESPONSE)).abstract).toBe(
      "This is a test server.  It doesn't do very much, ignore\nit and use another.",
    );
  });

  it("GopherAttributes converts Gopher+ attributes to JSON as a list of blocks", async () => {
    const json = JSON.parse(
      JSON.stringify(await readAttributesText(`+INFO: 0a\ta\th\t70\t+\r\n+X:\r\n one\r\n`)),
    ) as unknown;
    expect(json).toEqual({
      blocks: [
        { name: "+INFO", headerText: "0a\ta\th\t70\t+", lines: [] },
        { name: "+X", headerText: "", lines: ["one"] },
      ],
    });
  });
});

describe("GopherAttributes parses a block of Gopher+ attributes", () => {
  it.each([
    ["+ABSTRACT:\r\n one\r\n two\r\n", "+ABSTRACT", "", ["one", "two"]],
    ["+ABSTRACT\r\n one\r\n", "+ABSTRACT", "", ["one"]],
    ["+ABSTRACT: in its line\n  two blanks\n", "+ABSTRACT", "in its line", [" two blanks"]],
    ["+3D-ICON:\r\n\r\n \r\n", "+3D-ICON", "", ["", ""]],
    ["+ABSTRACT:\r\nwithout its blank\r\n", "+ABSTRACT", "", ["without its blank"]],
    ["+Abstract:x\r\n", "+Abstract", "x", []],
    ["+A:B: c\r\n", "+A", "B: c", []],
    ["+ABSTRACT:\r\n caf\xe9\r\n caf\xc3\xa9\r\n", "+ABSTRACT", "", ["caf\u00e9", "caf\u00e9"]],
    ["+ABSTRACT:\r\n last line", "+ABSTRACT", "", ["last line"]],
    ["+ABSTRACT:\r\n one\r\n.\r\n", "+ABSTRACT", "", ["one"]],
    ["lost\r\n+ABSTRACT:\r\n one\r\n", "+ABSTRACT", "", ["one"]],
  ])("GopherAttributes parses the attributes %j", async (text, name, headerText, lines) => {
    const { blocks } = await readAttributesText(text);
    expect(blocks).toEqual([{ name, headerText, lines, menuItem: undefined }]);
  });

  it("GopherAttributes parses each block once", async () => {
    const attributes = await readAttributesText(
      "+ADMIN:\r\n Admin: x\r\n+ASK:\r\n Ask: a\r\n+VIEWS:\r\n a/b\r\n",
    );
    expect(attributes.admin).toBe(attributes.admin);
    expect(attributes.ask).toBe(attributes.ask);
    expect(attributes.views()).toBe(attributes.views());
  });

  it("GopherAttributes returns the menu item of a block whose text is in another item", async () => {
    const attributes = await readAttributesText("+ABSTRACT: 0long abstract\t/abstract\th.example\t70\t+\r\n");
    expect(attributes.abstract).toBeUndefined();
    expect(attributes.block("+ABSTRACT")?.menuItem?.url?.href).toBe("gopher://h.example/0/abstract%09%09+");
  });

  it("GopherAttributes returns undefined for a block that the attributes do not contain", async () => {
    const attributes = await readAttributesText("");
    const { item, admin, abstract, ask, blocks } = attributes;
    expect({ item, admin, abstract, ask, blocks }).toEqual({ blocks: [] });
  });

  it("GopherAttributes parses the questions of a form as fields with keywords", async () => {
    expect((await readAttributesText(ASK_BLOCK)).ask?.map(({ keyword: word }) => word)).toEqual([
      "Note",
      "Ask",
      "AskP",
      "AskL",
      "Select",
      "Choose",
    ]);
  });

  it.each([
    ["Fri Nov 20 20:57:20 2026 <20261120205720>", "2026-11-20T20:57:20.000Z"],
    ["<19700101000000>", "1970-01-01T00:00:00.000Z"],
    ["<20240229000000>", "2024-02-29T00:00:00.000Z"],
    ["<00000000000000>", undefined],
    ["<20261320205720>", undefined],
    ["<20260231205720>", undefined],
    ["<20260229205720>", undefined],
    ["<20261120245720>", undefined],
    ["<20261120256020>", undefined],
    ["<20261120205761>", undefined],
    ["yesterday", undefined],
  ])("GopherAttributes parses the modification date %j in the block +ADMIN as %s", async (text, date) => {
    const { admin } = await readAttributesText(`+ADMIN:\r\n Mod-Date: ${text}\r\n`);
    expect(admin?.modified?.toISOString()).toBe(date);
  });
});

describe("GopherAttributes selects a view of a Gopher+ item", () => {
  const wish = async (views: readonly string[]): Promise<GopherAttributes> =>
    readAttributesText(`+VIEWS:\r\n${views.map((view) => ` ${view}\r\n`).join("")}`);

  it.each([
    ["Text/plain En_US: <.0k>", "Text/plain", "En_US", 0, "+Text/plain%20En_US"],
    [
      "application/postscript Es_ES: <10k>",
      "application/postscript",
      "Es_ES",
      10_240,
      "+application/postscript%20Es_ES",
    ],
    ["text/html: <4k>", "text/html", undefined, 4_096, "+text/html"],
    ["image/gif: <.3k>", "image/gif", undefined, 307, "+image/gif"],
    ["image/gif: <512b>", "image/gif", undefined, 512, "+image/gif"],
    ["image/gif: <512>", "image/gif", undefined, 512, "+image/gif"],
    ["image/gif: < 1.5 KByte >", "image/gif", undefined, 1_536, "+image/gif"],
    ["image/gif: <2M> of 3", "image/gif", undefined, 2_097_152, "+image/gif"],
    ["image/gif: <7 files>", "image/gif", undefined, 7, "+image/gif"],
    ["image/gif: <1.>", "image/gif", undefined, undefined, "+image/gif"],
    ["image/gif: <k>", "image/gif", undefined, undefined, "+image/gif"],
    ["image/gif: 4k", "image/gif", undefined, undefined, "+image/gif"],
    ["  image/gif   De_DE  ", "image/gif", "De_DE", undefined, "+image/gif%20De_DE"],
    [
      "application/gopher+-menu:",
      "application/gopher+-menu",
      undefined,
      undefined,
      "+application/gopher+-menu",
    ],
    ["Text/plain", "Text/plain", undefined, undefined, "+Text/plain"],
    ["Text/plain De: large", "Text/plain", "De", undefined, "+Text/plain%20De"],
  ])(
    "GopherAttributes parses the line %j of a +VIEWS block",
    async (line, mediaType, language, approximateSize, plus) => {
      const views = (await wish([line])).views();
      expect(views).toEqual([{ mediaType, language, approximateSize, url: expect.anything() as unknown }]);
      expect(views[0]?.url?.href).toBe(`gopher://h.example/0item%09%09${plus}`);
    },
  );

  const views = [
    "Text/plain En_US: <1k>",
    "application/postscript Es_ES: <10k>",
    "application/postscript En_US: <10k>",
    "Text/plain Es_ES: <1k>",
    "text/html: <2k>",
  ];

  it.each([
    [{}, "Text/plain En_US"],
    [{ accept: "*/*" }, "Text/plain En_US"],
    [{ accept: "application/postscript" }, "application/postscript Es_ES"],
    [{ accept: "APPLICATION/PostScript", language: "en" }, "application/postscript En_US"],
    [{ accept: "application/*", language: ["de", "en-us"] }, "application/postscript En_US"],
    [{ language: "es" }, "application/postscript Es_ES"],
    [{ accept: "text/*", language: "es" }, "Text/plain Es_ES"],
    [{ accept: ["text/html", "*/*"] }, "text/html"],
    [{ accept: "text/html", language: "de" }, "text/html"],
    [{ accept: ["image/*", "text/plain"] }, "Text/plain En_US"],
    [{ accept: "image/*" }, undefined],
    [{ accept: "text/plain", language: "de" }, undefined],
    [{ accept: "text/plai" }, undefined],
    [{ accept: "t.xt/plain" }, undefined],
    [{ language: "e" }, "text/html"],
    [{ accept: [] }, undefined],
  ])("the preference %j selects the view %s", async (requested, chosen) => {
    const view = (await wish(views)).view(requested);
    expect(view && [view.mediaType, view.language].filter(Boolean).join(" ")).toBe(chosen);
  });

  it.each([
    ["+INFO: 0a\ta\th\t70\t+", "Text/plain"],
    ["+INFO: 1a\ta\th\t70\t+", "application/gopher-menu"],
    ["+INFO: 9a\ta\th\t70\t+", undefined],
    ["+INFO: +a\ta\th\t70\t+", "Text/plain"],
  ])(
    "without a +VIEWS block, GopherAttributes returns a view with the default media type of the item in the line %j: %s",
    async (line, mediaType) => {
      expect((await readAttributesText(`${line}\r\n`)).views()[0]?.mediaType).toBe(mediaType);
    },
  );
});
