import { percentDecode } from "@anyscheme/core/syntax";
import { newsSyntax } from "@anyscheme/scheme-others/news/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeSyntax } from "../describe-syntax.ts";
import { createComponentArbitrary, group, host, bytes } from "../url-arbitraries.ts";

// RFC 1738 §3.6, §5: grouppart = "*" | group | article
describeSyntax({
  syntax: newsSyntax,
  conforming: [
    ["news:comp.infosystems.www.misc", { kind: "group", group: "comp.infosystems.www.misc" }],
    ["news:*", { kind: "all" }],
    ["news:unique@full.domain.name", { kind: "article", article: "unique@full.domain.name" }],
    // Empty components of a group are valid, and all characters of the production.
    ["news:a..b.", { kind: "group", group: "a..b." }],
    ["news:alt.c++_x-9", { kind: "group", group: "alt.c++_x-9" }],
    // Any text with "@" is an article.
    ["news:*@h", { kind: "article", article: "*@h" }],
    ["news:9@10.0.0.1", { kind: "article", article: "9@10.0.0.1" }],
    ["news:a%40b;/?:&=c@h.dom", { kind: "article", article: "a%40b;/?:&=c@h.dom" }],
    ["news:%3Ca@h", { kind: "article", article: "%3Ca@h" }],
    ["news://h/x@y", { kind: "article", article: "//h/x@y" }],
    ["NEWS://h:119/x@y", { kind: "article", article: "//h:119/x@y" }],
  ],
  faulty: [
    ["news:", "bad-group", 5, 0],
    ["news:comp.%61", "bad-group", 10, 1],
    ["news:comp.%2A", "bad-group", 10, 1],
    ["news:c%2B%61", "bad-group", 9, 1],
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
    ["news://h/<a@b>", "delimiter", 9, 1],
    ["news://h/a@b_c", "server-not-allowed", 5, 2],
    ["news://u@h/comp.lang.c", "server-not-allowed", 5, 2],
    ["news:///comp.lang.c", "empty-host", 7, 0, "server-not-allowed"],
    ["news://127.1/comp.lang.c", "bad-host-number", 7, 5, "server-not-allowed"],
    ["news://h/9%41", "bad-group", 10, 1, "server-not-allowed"],
  ],
  tolerated: [
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
  formless: [
    ["news:9fans", ["group-form"], "news:9fans", { kind: "group", group: "9fans" }],
    ["news:c%2B.*", ["group-escape", "group-form"], "news:c+.*", { kind: "group", group: "c+.*" }],
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
  built: [
    [{}, "news:*"],
    [{ group: "comp.infosystems.www.misc" }, "news:comp.infosystems.www.misc"],
    [{ article: "unique@full.domain.name" }, "news:unique@full.domain.name"],
    [{ article: "a b@c@h" }, "news:a%20b%40c@h"],
    [{ article: Uint8Array.of(0xff, 0x40, 0x68) }, "news:%FF@h"],
  ],
  invalidPartsError: [
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
  texts: fc
    .oneof(
      fc.constant("*"),
      group,
      fc
        .tuple(createComponentArbitrary(";/?:&="), host)
        .filter(([unique]) => unique !== "")
        .map(([unique, domain]) => `${unique}@${domain}`),
    )
    .map((part) => `news:${part}`),
});

describe("news URLs of articles", () => {
  it("builds a URL from any bytes before the '@', and parses the same bytes", () => {
    fc.assert(
      fc.property(
        bytes.filter((unique) => unique.length > 0),
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
    ["NEWS://:needle@host.dom#f", "NEWS://:****@host.dom#f"],
    ["news://u:@h", "news://u:@h"],
    ["news://h:119/needle@h", "news://h:119/needle@h"],
    ["news:a:needle@h", "news:a:needle@h"],
  ])("masks the password in the server part of %s", (text, shown) => {
    const url = newsSyntax.parse(text);
    expect([String(url), JSON.stringify(url)]).toEqual([shown, JSON.stringify(shown)]);
    expect(url.components()["article"]).toBe(shown.replace(/^news:|#.*/gi, ""));
    expect(url.href).toBe(text);
  });

  it("has no host by default, and uses the port 119 for a host that modern mode accepts", () => {
    expect(newsSyntax.parse("news://h/x@y").host).toBe("");
    expect(newsSyntax.parse("news://H/x").effectiveHost).toBe("h");
    expect(newsSyntax.parse("news://h/x").effectivePort).toBe(119);
    expect(newsSyntax.parse("news://h:120/x").effectivePort).toBe(120);
  });
});
