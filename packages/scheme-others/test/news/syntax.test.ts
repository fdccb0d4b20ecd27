import { percentDecode } from "@anyscheme/core/syntax";
import { newsSyntax, snewsSyntax } from "@anyscheme/scheme-others/news/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineSyntaxTests } from "../define-syntax-tests.ts";
import {
  createComponentArbitrary,
  groupNameArbitrary,
  hostArbitrary,
  bytesArbitrary,
} from "../url-arbitraries.ts";

// RFC 1738 §3.6, §5: grouppart = "*" | group | article
defineSyntaxTests({
  syntax: newsSyntax,
  conforming: [
    ["news:comp.infosystems.www.misc", { kind: "group", group: "comp.infosystems.www.misc" }],
    ["news:*", { kind: "all" }],
    ["news:unique@full.domain.name", { kind: "article", article: "unique@full.domain.name" }],
    // Empty components of a group are valid, and so are all characters of the production.
    ["news:a..b.", { kind: "group", group: "a..b." }],
    ["news:alt.c++_x-9", { kind: "group", group: "alt.c++_x-9" }],
    // Any text with "@" is an article.
    ["news:*@h", { kind: "article", article: "*@h" }],
    ["news:9@10.0.0.1", { kind: "article", article: "9@10.0.0.1" }],
    ["news:a%40b;/?:&=c@h.dom", { kind: "article", article: "a%40b;/?:&=c@h.dom" }],
    ["news:%3Ca@h", { kind: "article", article: "%3Ca@h" }],
  ],
  rejected: [
    ["news:", "bad-group", 5, 0],
    ["news:comp.%61", "bad-group", 10, 1],
    ["news:comp.%2A", "bad-group", 10, 1],
    ["news:c%2B%61", "bad-group", 9, 1],
    ["news:example.group.n%2Fa", "bad-group", 20, 1],
    ["news:c%2", "bad-group", 6, 1],
    ["news:a/b", "bad-group", 6, 1],
    ["news:a b", "bad-group", 6, 1],
    ["news:a~b", "bad-group", 6, 1],
    ["news:é", "bad-group", 5, 1],
    ["news:<comp.lang.c>", "bad-group", 5, 1],
    ["news:!comp.*", "bad-group", 5, 1],
    ["news:comp.*,", "bad-group", 10, 1],
    ["news:a@b@c", "reserved", 6, 1],
    ["news:a@", "empty-host", 7, 0],
    ["news:@h", "bad-message-id", 5, 0],
    ["news:%3C@h%3E", "bad-message-id", 8, 0, "id-brackets"],
    ["news:<a@h", "delimiter", 5, 1],
    ["news:<a@h%3E", "delimiter", 5, 1],
    ["news:a@h>", "delimiter", 8, 1],
    ["news:a b@h", "space", 6, 1],
    ["news:a%@h", "bad-escape", 6, 1],
    ["news:a\n@h", "control", 6, 1],
    ["news:a@h\\", "backslash", 8, 1],
    ["news://h/<a@b", "delimiter", 9, 1],
    ["news://u@h/comp.lang.c", "login-not-allowed", 7, 2, "server-not-allowed"],
    ["news://h\\/a@b_c", "bad-host", 8, 1, "backslash"],
    ["news://h?b/a@b_c", "bad-host", 8, 1, "server-not-allowed"],
    ["news:///comp.lang.c", "empty-host", 7, 0, "server-not-allowed"],
    ["news://127.1/comp.lang.c", "bad-host-number", 7, 5, "server-not-allowed"],
    ["news://h/9%41", "bad-group", 10, 1, "server-not-allowed"],
  ],
  acceptedWithDeviations: [
    [
      "news:comp.lang.c%2B%2b",
      ["group-escape", "group-escape"],
      "news:comp.lang.c++",
      { kind: "group", group: "comp.lang.c++" },
    ],
    [
      "news://h/c%2B",
      ["server-not-allowed", "group-escape"],
      "news:c+",
      { kind: "group", group: "c+", host: "h" },
    ],
    ["news:%3Ca@h%3E", ["id-brackets"], "news:a@h", { kind: "article", article: "a@h" }],
    ["news:%3ca~b@h%3e", ["id-brackets", "unsafe"], "news:a%7Eb@h", { kind: "article", article: "a~b@h" }],
    ["news:<a@h>", ["id-brackets"], "news:a@h", { kind: "article", article: "a@h" }],
    ["news:é@h", ["non-ascii"], "news:%C3%A9@h", { kind: "article", article: "é@h" }],
    ["news:a@h#b@c", ["fragment"], "news:a@h", { kind: "article", article: "a@h" }],
    ["news:*#b@c", ["fragment"], "news:*", { kind: "all" }],
    // RFC 5538: newsURL = "news:" [ server "/" ] ( article / newsgroups )
    [
      "news://h/comp.lang.c",
      ["server-not-allowed"],
      "news:comp.lang.c",
      { kind: "group", group: "comp.lang.c", host: "h" },
    ],
    ["news://h:120/*", ["server-not-allowed"], "news:*", { kind: "all", host: "h", port: "120" }],
    ["news://h/", ["server-not-allowed"], "news:*", { kind: "all", host: "h" }],
    ["news://h", ["server-not-allowed"], "news:*", { kind: "all", host: "h" }],
    [
      "news://h/a.b#c@d",
      ["server-not-allowed", "fragment"],
      "news:a.b",
      { kind: "group", group: "a.b", host: "h" },
    ],
  ],
  acceptedWithoutConformingForm: [
    ["news:9fans", ["group-form"], "news:9fans", { kind: "group", group: "9fans" }],
    ["news:c%2B.*", ["group-escape", "group-form"], "news:c+.*", { kind: "group", group: "c+.*" }],
    [
      "news:example.group.th%3Fse",
      ["group-escape", "group-form"],
      "news:example.group.th?se",
      { kind: "group", group: "example.group.th?se" },
    ],
    ["news:*.x", ["group-form"], "news:*.x", { kind: "group", group: "*.x" }],
    [
      "news:comp.?,!comp.os.*",
      ["group-form"],
      "news:comp.?,!comp.os.*",
      { kind: "group", group: "comp.?,!comp.os.*" },
    ],
    [
      "news://h/comp.*",
      ["server-not-allowed", "group-form"],
      "news:comp.*",
      { kind: "group", group: "comp.*", host: "h" },
    ],
    ["news:a@b_c", ["host-form"], "news:a@b_c", { kind: "article", article: "a@b_c" }],
    ["news:a@127.1", ["host-form"], "news:a@127.1", { kind: "article", article: "a@127.1" }],
    ["news:a@%5B::1%5D", ["host-form"], "news:a@%5B::1%5D", { kind: "article", article: "a@%5B::1%5D" }],
    [
      "news:a@[::1]",
      ["unsafe", "unsafe", "host-form"],
      "news:a@%5B::1%5D",
      { kind: "article", article: "a@[::1]" },
    ],
    ["news:<a@b_c>", ["id-brackets", "host-form"], "news:a@b_c", { kind: "article", article: "a@b_c" }],
  ],
  ambiguousTextPattern: /^news:\/\//i,
  builtFromParts: [
    [{}, "news:*"],
    [{ article: "//h/x@y" }, "news:%2F/h/x@y"],
    [{ group: "comp.infosystems.www.misc" }, "news:comp.infosystems.www.misc"],
    [{ article: "unique@full.domain.name" }, "news:unique@full.domain.name"],
    [{ article: "a b@c@h" }, "news:a%20b%40c@h"],
    [{ article: Uint8Array.of(0xff, 0x40, 0x68) }, "news:%FF@h"],
  ],
  invalidParts: [
    [{ group: "" }, "bad-group"],
    [{ group: "*" }, "bad-group"],
    [{ group: "a@h" }, "bad-group"],
    [{ group: "comp.*" }, "group-form"],
    [{ group: "a", article: "a@h" }, "bad-group"],
    [{ article: "comp.lang.c" }, "bad-message-id"],
    [{ article: "@h" }, "bad-message-id"],
    [{ article: "a@" }, "empty-host"],
    [{ article: "a@b_c" }, "host-form"],
  ],
  generatedTexts: fc
    .oneof(
      fc.constant("*"),
      groupNameArbitrary,
      fc
        .tuple(createComponentArbitrary(";/?:&="), hostArbitrary)
        .filter(([unique]) => unique !== "")
        .map(([unique, domain]) => `${unique}@${domain}`),
    )
    .map((part) => `news:${part}`),
});

// RFC 5538 §4: newsURL = "news:" [ server "/" ] ( article / newsgroups )
describe("news URLs with a server", () => {
  const server = { code: "server-not-allowed", allowedByRfc: "RFC 5538 §4" };

  it.each<[text: string, components: object, codes: string[], normal: string]>([
    ["news://h/x@y", { host: "h", article: "x@y" }, [], "news://h/x@y"],
    ["NEWS://H:119/x@y", { host: "H", port: "119", article: "x@y" }, [], "news://h/x@y"],
    [
      "news://h:120/a/b@y#c@d",
      { host: "h", port: "120", article: "a/b@y" },
      ["fragment"],
      "news://h:120/a/b@y",
    ],
    ["news://h/<x@y>", { host: "h", article: "x@y" }, ["id-brackets"], "news://h/x@y"],
    ["news://h/x@b_c", { host: "h", article: "x@b_c" }, ["host-form"], "news://h/x@b_c"],
    ["news://[::1]/x@y", { host: "[::1]", article: "x@y" }, ["host-form"], "news://[::1]/x@y"],
    ["news://faß.de/x@y", { host: "faß.de", article: "x@y" }, ["host-form"], "news://xn--fa-hia.de/x@y"],
    ["news://h//x@y", { host: "h", article: "/x@y" }, [], "news://h//x@y"],
  ])("modern mode parses %s as an article on a server", (text, components, codes, normal) => {
    const url = newsSyntax.parse(text);
    expect(url.components()).toEqual({ scheme: "news", kind: "article", ...components });
    expect(url.deviations[0]).toMatchObject(server);
    expect(url.deviations.map(({ code }) => code)).toEqual([server.code, ...codes]);
    expect(url.parserDifferences).toEqual([]);
    expect(newsSyntax.format(url)).toBe(`news:${url.article}`);
    expect(newsSyntax.normalize(url)).toBe(normal);
    expect(newsSyntax.normalize(newsSyntax.parse(normal))).toBe(normal);
  });

  it.each([
    ["news://H:119/a.b", "news://h/a.b"],
    ["news://h/*", "news://h/*"],
    ["news://h", "news://h/*"],
  ])("the normal form of %s keeps the server", (text, normal) => {
    expect(newsSyntax.normalize(newsSyntax.parse(text))).toBe(normal);
  });

  it("format with as: rfc3986 keeps the server of a news URL", () => {
    expect(newsSyntax.format(newsSyntax.parse("news://h/x@y"), { as: "rfc3986" })).toBe("news://h/x@y");
  });

  it.each([
    [
      "news://h/x@y",
      [
        { parser: "RFC 3986", host: "h" },
        { parser: "WHATWG URL", host: "h" },
      ],
    ],
    ["news://u:p@h:120/x", undefined],
    [
      "news://u:p@h",
      [
        { parser: "RFC 3986", host: "h" },
        { parser: "WHATWG URL", host: "h" },
      ],
    ],
    ["news:x@y", []],
  ])(
    "the mode rfc1738 reads %s as an article without a server, and reports %j",
    (text, parserDifferences) => {
      const { url } = newsSyntax.tryParse(text, { mode: "rfc1738" });
      expect(url?.parserDifferences).toEqual(parserDifferences);
      if (!url) return;
      expect([url.host, url.article, url.deviations.length]).toEqual(["", text.slice(5), 0]);
      expect(newsSyntax.format(url)).toBe(text);
      const uri = newsSyntax.parse(newsSyntax.format(url, { as: "rfc3986" }));
      expect([uri.host, percentDecode(uri.article ?? "")]).toEqual(["", percentDecode(url.article ?? "")]);
    },
  );

  it.each([
    ["news://u:p@h/x@y", "login-not-allowed"],
    ["news://u:p@h", "login-not-allowed"],
    ["news:///x@y", "empty-host"],
    ["news://127.1/x@y", "bad-host-number"],
    ["news://h?x/y@z", "bad-host"],
    ["news://h%2F/y@z", "escape-in-host"],
    ["news://xn--a/y@z", "bad-a-label"],
    ["news://h/@y", "bad-message-id"],
    ["news://h/x@y@z", "reserved"],
    ["news://h:99999/x@y", "port-range"],
  ])("modern mode rejects %s with the fault %s", (text, code) => {
    expect(newsSyntax.tryParse(text).fault?.code).toBe(code);
    expect(newsSyntax.canParse(text)).toBe(false);
  });

  it("an snews URL is a news URL with the port 563", () => {
    const url = snewsSyntax.parse("snews://h/x@y");
    expect(url.components()).toEqual({ scheme: "snews", kind: "article", host: "h", article: "x@y" });
    expect([url.effectivePort, url.parserDifferences]).toEqual([563, []]);
    expect(snewsSyntax.format(url)).toBe("snews:x@y");
    expect(snewsSyntax.normalize(snewsSyntax.parse("SNEWS://h:563/a.b"))).toBe("snews://h/a.b");
    expect(snewsSyntax.parse("snews:*", { mode: "rfc1738" }).kind).toBe("all");
  });

  it.each([
    ["news:9fans", "RFC 5538 §3"],
    ["news:comp.lang.c%2B%2B", "RFC 5538 §3"],
    ["news:comp.*", "RFC 5538 §4"],
    ["news:*.x", "RFC 5538 §4"],
    ["news:comp.?", undefined],
    ["news:comp.*,!comp.os.*", undefined],
    ["news:<a@h>", undefined],
  ])("the first deviation of %s has the property allowedByRfc: %s", (text, allowedByRfc) => {
    expect(newsSyntax.parse(text).deviations[0]?.allowedByRfc).toBe(allowedByRfc);
  });
});

describe("news URLs of articles", () => {
  it("the parser builds a URL from any bytes before the '@', and parses the same bytes", () => {
    fc.assert(
      fc.property(
        bytesArbitrary.filter((unique) => unique.length > 0),
        (unique) => {
          const article = Uint8Array.from([...unique, ...new TextEncoder().encode("@host.dom")]);
          const url = newsSyntax.build({ article });
          expect(percentDecode(url.article ?? "")).toEqual(article);
          expect([url.kind, url.group, url.host]).toEqual(["article", undefined, ""]);
        },
      ),
    );
  });

  it.each([
    ["news://u:needle@host.dom", "news://u:****@host.dom"],
    ["NEWS://:needle@host.dom", "NEWS://:****@host.dom"],
    ["news://u:@h", "news://u:@h"],
    ["news://h:119/needle@h", "news://h:119/needle@h"],
    ["news:a:needle@h", "news:a:needle@h"],
  ])("the parser masks the password in the server part of %s", (text, shown) => {
    const url = newsSyntax.parse(text, { mode: "rfc1738" });
    expect([String(url), JSON.stringify(url)]).toEqual([shown, JSON.stringify(shown)]);
    expect(url.components()["article"]).toBe(shown.replace(/^news:|#.*/gi, ""));
    expect(url.href).toBe(text);
  });

  it("a news URL has no host by default, and uses the port 119 for a host that modern mode accepts", () => {
    expect(newsSyntax.parse("news:x@y").host).toBe("");
    expect(newsSyntax.parse("news://H/x").effectiveHost).toBe("h");
    expect(newsSyntax.parse("news://h/x").effectivePort).toBe(119);
    expect(newsSyntax.parse("news://h:120/x").effectivePort).toBe(120);
  });
});
