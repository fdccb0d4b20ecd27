import { percentDecode } from "@anyscheme/core/syntax";
import { waisSyntax } from "@anyscheme/scheme-others/wais/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineSyntaxTests } from "../define-syntax-tests.ts";
import { createComponentArbitrary, hostportArbitrary, bytesArbitrary } from "../url-arbitraries.ts";

/** A document-id as written by browsers, and as required by RFC 1738. */
const unescapedDocumentId = "1=h%3A210;2=db/fruit;3=0%20107%20/a.txt;7=%00;";
const escapedDocumentId = unescapedDocumentId
  .replaceAll("=", "%3D")
  .replaceAll(";", "%3B")
  .replaceAll("/", "%2F");

// RFC 1738 §3.9, §5: waisurl = waisdatabase | waisindex | waisdoc
defineSyntaxTests({
  syntax: waisSyntax,
  conforming: [
    [
      "wais://host.dom:210/database",
      { host: "host.dom", port: "210", kind: "database", database: "database" },
    ],
    ["wais://h/database?search", { host: "h", kind: "index", database: "database", search: "search" }],
    [
      "wais://h/database/wtype/wpath",
      { host: "h", kind: "document", database: "database", wtype: "wtype", wpath: "wpath" },
    ],
    // Every component may be empty.
    ["wais://h/", { host: "h", kind: "database", database: "" }],
    ["wais://h/?", { host: "h", kind: "index", database: "", search: "" }],
    ["wais://h///", { host: "h", kind: "document", database: "", wtype: "", wpath: "" }],
    ["wais://h/d?a;b:c@d&e=f+g", { host: "h", kind: "index", database: "d", search: "a;b:c@d&e=f+g" }],
    ["wais://h/a%2Fb", { host: "h", kind: "database", database: "a%2Fb" }],
    [
      `WAIS://h/d/TEXT,HTML/${escapedDocumentId}`,
      { host: "h", kind: "document", database: "d", wtype: "TEXT,HTML", wpath: escapedDocumentId },
    ],
  ],
  rejected: [
    ["wais:h/d", "missing-slashes", 5, 0],
    ["wais:///d", "empty-host", 7, 0],
    ["wais://u:p@h/d", "login-not-allowed", 7, 4],
    ["wais://h/d/t", "bad-wais-path", 12, 0],
    ["wais://h/d/", "bad-wais-path", 11, 0],
    ["wais://h/d/t?x", "reserved", 12, 1],
    ["wais://h/d/t;x/p", "reserved", 12, 1],
    ["wais://h/d;x", "reserved", 10, 1],
    ["wais://h/d@h:1?s", "reserved", 10, 1],
    ["wais://h/d?a?b", "reserved", 12, 1],
    ["wais://h/d?a/b/c", "reserved", 12, 1],
    ["wais://h/d/t/a\\b", "backslash", 14, 1],
    ["wais://h?d", "bad-host", 8, 1],
    ["wais://256.0.0.1/d", "bad-host-number", 7, 9],
  ],
  acceptedWithDeviations: [
    [
      "wais://h/d?a b",
      ["space"],
      "wais://h/d?a%20b",
      { host: "h", kind: "index", database: "d", search: "a b" },
    ],
    [
      "wais://h/d/t/%0",
      ["bad-escape"],
      "wais://h/d/t/%250",
      { host: "h", kind: "document", database: "d", wtype: "t", wpath: "%0" },
    ],
    ["wais://h", ["missing-slash"], "wais://h/", { host: "h", kind: "database", database: "" }],
    [
      "wais://h/d/t/1=x;2=y",
      ["reserved", "reserved", "reserved"],
      "wais://h/d/t/1%3Dx%3B2%3Dy",
      { host: "h", kind: "document", database: "d", wtype: "t", wpath: "1=x;2=y" },
    ],
    [
      `wais://h/d/TEXT/107/${unescapedDocumentId}`,
      Array.from({ length: 1 + 4 + 4 + 2 }, () => "reserved"),
      `wais://h/d/TEXT/107%2F${escapedDocumentId}`,
      { host: "h", kind: "document", database: "d", wtype: "TEXT", wpath: `107/${unescapedDocumentId}` },
    ],
    [
      "wais://h/d/t/a?b:c@d&e~f",
      ["reserved", "reserved", "reserved", "reserved", "unsafe"],
      "wais://h/d/t/a%3Fb%3Ac%40d%26e%7Ef",
      { host: "h", kind: "document", database: "d", wtype: "t", wpath: "a?b:c@d&e~f" },
    ],
    [
      "wais://h/d?é",
      ["non-ascii"],
      "wais://h/d?%C3%A9",
      { host: "h", kind: "index", database: "d", search: "é" },
    ],
    [
      "wais://h/{d}",
      ["unsafe", "unsafe"],
      "wais://h/%7Bd%7D",
      { host: "h", kind: "database", database: "{d}" },
    ],
    ["wais://h/d#a?b/c", ["fragment"], "wais://h/d", { host: "h", kind: "database", database: "d" }],
  ],
  acceptedWithoutConformingForm: [
    ["wais://b_c/d", ["host-form"], "wais://b_c/d", { host: "b_c", kind: "database", database: "d" }],
  ],
  builtFromParts: [
    [{ host: "h", database: "d" }, "wais://h/d"],
    [{ host: "h", port: 210, database: "d", search: "two words?" }, "wais://h:210/d?two%20words%3F"],
    [{ host: "h", database: "d", wtype: "TEXT", wpath: "1=x;2=y/z" }, "wais://h/d/TEXT/1%3Dx%3B2%3Dy%2Fz"],
    [{ host: "h", database: "", search: "" }, "wais://h/?"],
  ],
  invalidParts: [
    [{ host: "h", database: "d", wtype: "t" }, "bad-wais-path"],
    [{ host: "h", database: "d", wpath: "p" }, "bad-wais-path"],
    [{ host: "h", database: "d", search: "s", wtype: "t", wpath: "p" }, "bad-wais-path"],
    [{ host: "a:b", database: "d" }, "bad-host"],
  ],
  generatedTexts: fc
    .tuple(
      hostportArbitrary,
      createComponentArbitrary(),
      fc.oneof(
        fc.constant(""),
        createComponentArbitrary(";:@&=").map((search) => `?${search}`),
        fc
          .tuple(createComponentArbitrary(), createComponentArbitrary())
          .map(([wtype, wpath]) => `/${wtype}/${wpath}`),
      ),
    )
    .map(([where, database, form]) => `wais://${where}/${database}${form}`),
});

describe("the properties of a WaisUrl", () => {
  const form = fc.oneof(
    fc.record({ database: bytesArbitrary }),
    fc.record({ database: bytesArbitrary, search: bytesArbitrary }),
    fc.record({ database: bytesArbitrary, wtype: bytesArbitrary, wpath: bytesArbitrary }),
  );

  it("the parser builds a wais URL from arbitrary bytes and parses the same components", () => {
    fc.assert(
      fc.property(form, (parts) => {
        const { database, search, wtype, wpath } = waisSyntax.build({ host: "h", ...parts });
        const components = Object.entries({ database, search, wtype, wpath }).flatMap(([name, text]) =>
          text === undefined ? [] : [[name, percentDecode(text)] as const],
        );
        expect(Object.fromEntries(components)).toEqual(parts);
      }),
    );
  });

  it("wais URLs have the default port 210", () => {
    expect(waisSyntax.parse("wais://h/d").effectivePort).toBe(210);
    expect(waisSyntax.parse("wais://h:8000/d").effectivePort).toBe(8000);
  });
});
