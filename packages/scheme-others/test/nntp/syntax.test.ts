import { nntpSyntax } from "@anyscheme/scheme-others/nntp/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineSyntaxTests } from "../define-syntax-tests.ts";
import { groupNameArbitrary, hostportArbitrary } from "../url-arbitraries.ts";

// RFC 1738 §3.7, §5: nntpurl = "nntp://" hostport "/" group [ "/" digits ]
defineSyntaxTests({
  syntax: nntpSyntax,
  conforming: [
    [
      "nntp://host.dom:119/comp.infosystems.www.misc/4711",
      { host: "host.dom", port: "119", group: "comp.infosystems.www.misc", article: "4711" },
    ],
    ["nntp://h/comp.lang.c", { host: "h", group: "comp.lang.c" }],
    ["nntp://h/a..b/007", { host: "h", group: "a..b", article: "007" }],
    ["NNTP://10.0.0.1/a+_-./0", { host: "10.0.0.1", group: "a+_-.", article: "0" }],
  ],
  rejected: [
    ["nntp:h/a", "missing-slashes", 5, 0],
    ["nntp:///a/1", "empty-host", 7, 0],
    ["nntp://u@h/a/1", "login-not-allowed", 7, 2],
    ["nntp://h:x/a", "bad-port", 9, 1],
    ["nntp://h/*", "bad-group", 9, 1],
    ["nntp://h/comp.*/1", "bad-group", 14, 1],
    ["nntp://h/comp.%61/1", "bad-group", 14, 1],
    ["nntp://h/c%2B%61/1", "bad-group", 13, 1, "bad-group"],
    ["nntp://h/c%2B/1-5", "bad-article-number", 15, 1, "group-escape"],
    ["nntp://h/a/%2B1", "bad-article-number", 11, 1],
    ["nntp://h//1", "bad-group", 9, 0],
    ["nntp://h/a b/1", "bad-group", 10, 1],
    ["nntp://h/a/x", "bad-article-number", 11, 1],
    ["nntp://h/a/1-5", "bad-article-number", 12, 1],
    ["nntp://h/a/1/", "bad-article-number", 12, 1],
    ["nntp://h/a/%31", "bad-article-number", 11, 1],
    ["nntp://h/a/\uff11", "bad-article-number", 11, 1],
    ["nntp://h/a/1\r\nQUIT", "bad-article-number", 12, 1],
    ["nntp://127.1/a", "bad-host-number", 7, 5],
  ],
  acceptedWithDeviations: [
    [
      "nntp://h/comp.lang.c%2B%2b/7",
      ["group-escape", "group-escape"],
      "nntp://h/comp.lang.c++/7",
      { host: "h", group: "comp.lang.c++", article: "7" },
    ],
    ["nntp://h/a/", ["trailing-slash"], "nntp://h/a", { host: "h", group: "a" }],
    ["nntp://h:/a/1", ["empty-port"], "nntp://h/a/1", { host: "h", group: "a", article: "1" }],
    ["nntp://h/a/1#x/2", ["fragment"], "nntp://h/a/1", { host: "h", group: "a", article: "1" }],
    ["nntp://h/a#/2", ["fragment"], "nntp://h/a", { host: "h", group: "a" }],
  ],
  acceptedWithoutConformingForm: [
    ["nntp://host", ["missing-slash"], "nntp://host/", { host: "host" }],
    ["nntp://host/", ["trailing-slash"], "nntp://host/", { host: "host" }],
    // Real servers have groups whose names RFC 1738 does not allow, such as `9fans`.
    ["nntp://h/9fans", ["group-form"], "nntp://h/9fans", { host: "h", group: "9fans" }],
    ["nntp://h/+a/7", ["group-form"], "nntp://h/+a/7", { host: "h", group: "+a", article: "7" }],
    ["nntp://h/%2Ba", ["group-escape", "group-form"], "nntp://h/+a", { host: "h", group: "+a" }],
    ["nntp://h./a/1", ["host-form"], "nntp://h./a/1", { host: "h.", group: "a", article: "1" }],
    ["nntp://[::1]/a", ["host-form"], "nntp://[::1]/a", { host: "[::1]", group: "a" }],
  ],
  builtFromParts: [
    [{ host: "host.dom", group: "comp.lang.c", article: 4711 }, "nntp://host.dom/comp.lang.c/4711"],
    [{ host: "h", port: 120, group: "a" }, "nntp://h:120/a"],
    [{ host: "h", group: "a", article: "007" }, "nntp://h/a/007"],
  ],
  invalidParts: [
    [{ host: "h" }, "trailing-slash"],
    [{ host: "h", group: "a/1" }, "bad-group"],
    [{ host: "h", group: "*" }, "bad-group"],
    [{ host: "h", group: "9fans" }, "group-form"],
    [{ host: "h", group: "a", article: "" }, "trailing-slash"],
    [{ host: "h", group: "a", article: -1 }, "bad-article-number"],
    [{ host: "h", group: "a", article: "1/2" }, "bad-article-number"],
    [{ host: "h/x", group: "a" }, "bad-host"],
  ],
  generatedTexts: fc
    .tuple(hostportArbitrary, groupNameArbitrary, fc.option(fc.stringMatching(/^[0-9]{1,9}$/)))
    .map(([where, name, number]) => `nntp://${where}/${name}${number === null ? "" : `/${number}`}`),
});

describe("nntp URLs", () => {
  it("the parser builds a URL from any group and article number, and parses the same parts", () => {
    fc.assert(
      fc.property(groupNameArbitrary, fc.option(fc.nat(), { nil: undefined }), (name, article) => {
        const url = nntpSyntax.build({ host: "h", group: name, article });
        expect([url.group, url.article]).toEqual([name, article?.toString()]);
      }),
    );
  });

  it("the parser uses the port 119 by default", () => {
    expect(nntpSyntax.parse("nntp://h/a").effectivePort).toBe(119);
    expect(nntpSyntax.parse("nntp://h:0120/a").effectivePort).toBe(120);
  });
});
