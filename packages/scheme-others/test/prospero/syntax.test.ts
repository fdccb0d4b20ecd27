import { percentDecode } from "@anyscheme/core/syntax";
import { prosperoSyntax } from "@anyscheme/scheme-others/prospero/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineSyntaxTests } from "../define-syntax-tests.ts";
import { createComponentArbitrary, hostportArbitrary, bytesArbitrary } from "../url-arbitraries.ts";

const fieldCountBeyondStackSize = 2_000_000;

// RFC 1738 §3.11, §5: prosperourl = "prospero://" hostport "/" ppath *[ fieldspec ]
defineSyntaxTests({
  syntax: prosperoSyntax,
  conforming: [
    ["prospero://host.dom//pros/name", { host: "host.dom", hsoname: "/pros/name", fields: [] }],
    [
      "prospero://host.dom:1525//pros/name;OBJECT-VERSION=2",
      { host: "host.dom", port: "1525", hsoname: "/pros/name", fields: [["OBJECT-VERSION", "2"]] },
    ],
    ["prospero://h/", { host: "h", hsoname: "", fields: [] }],
    [
      "prospero://h/x;=;a=&b;a=c",
      {
        host: "h",
        hsoname: "x",
        fields: [
          ["", ""],
          ["a", "&b"],
          ["a", "c"],
        ],
      },
    ],
    [
      "prospero://h/a=b?c:d@e&f=/g;n?:@&=v?:@&",
      { host: "h", hsoname: "a=b?c:d@e&f=/g", fields: [["n?:@&", "v?:@&"]] },
    ],
    ["PROSPERO://h/a%3Bb;c%3D=%2F", { host: "h", hsoname: "a%3Bb", fields: [["c%3D", "%2F"]] }],
    ["prospero://h/../x", { host: "h", hsoname: "../x", fields: [] }],
  ],
  rejected: [
    ["prospero:h/x", "missing-slashes", 9, 0],
    ["prospero://h", "missing-slash", 12, 0],
    ["prospero:///x", "empty-host", 11, 0],
    // "No username or password is allowed."
    ["prospero://u@h/x", "login-not-allowed", 11, 2],
    ["prospero://h/x;a", "bad-field", 16, 0],
    ["prospero://h/x;", "bad-field", 15, 0],
    ["prospero://h/x;;a=b", "bad-field", 15, 0],
    ["prospero://h/x;a=b;", "bad-field", 19, 0],
    ["prospero://h/x;a/b=c", "reserved", 16, 1],
    ["prospero://h/x\r\ny", "control", 14, 1],
    ["prospero://1.2.3.4.5/x", "bad-host-number", 11, 9],
  ],
  acceptedWithDeviations: [
    [
      "prospero://h/x y;a=b c",
      ["space", "space"],
      "prospero://h/x%20y;a=b%20c",
      { host: "h", hsoname: "x y", fields: [["a", "b c"]] },
    ],
    [
      "prospero://h/x;a=%",
      ["bad-escape"],
      "prospero://h/x;a=%25",
      { host: "h", hsoname: "x", fields: [["a", "%"]] },
    ],
    [
      "prospero://h/x;a=b/c",
      ["reserved"],
      "prospero://h/x;a=b%2Fc",
      { host: "h", hsoname: "x", fields: [["a", "b/c"]] },
    ],
    [
      "prospero://h/x;a=b=c",
      ["reserved"],
      "prospero://h/x;a=b%3Dc",
      { host: "h", hsoname: "x", fields: [["a", "b=c"]] },
    ],
    [
      "prospero://h/x;==",
      ["reserved"],
      "prospero://h/x;=%3D",
      { host: "h", hsoname: "x", fields: [["", "="]] },
    ],
    [
      "prospero://h/~x;é=1",
      ["unsafe", "non-ascii"],
      "prospero://h/%7Ex;%C3%A9=1",
      { host: "h", hsoname: "~x", fields: [["é", "1"]] },
    ],
    ["prospero://h/x#;a", ["fragment"], "prospero://h/x", { host: "h", hsoname: "x", fields: [] }],
    [
      "prospero://h/x;a=b#;c",
      ["fragment"],
      "prospero://h/x;a=b",
      { host: "h", hsoname: "x", fields: [["a", "b"]] },
    ],
    ["prospero://h:/x", ["empty-port"], "prospero://h/x", { host: "h", hsoname: "x", fields: [] }],
  ],
  acceptedWithoutConformingForm: [
    ["prospero://[::1]/x", ["host-form"], "prospero://[::1]/x", { host: "[::1]", hsoname: "x", fields: [] }],
  ],
  builtFromParts: [
    [{ host: "host.dom", hsoname: "/pros/name" }, "prospero://host.dom//pros/name"],
    [
      {
        host: "h",
        port: 1525,
        hsoname: "a;b c",
        fields: [
          ["OBJECT-VERSION", "2"],
          ["a=b", "c/d=e;f"],
        ],
      },
      "prospero://h:1525/a%3Bb%20c;OBJECT-VERSION=2;a%3Db=c%2Fd%3De%3Bf",
    ],
    [{ host: "h", hsoname: "", fields: [["", ""]] }, "prospero://h/;="],
  ],
  invalidParts: [
    [{ host: "", hsoname: "x" }, "empty-host"],
    [{ host: "u@h", hsoname: "x" }, "bad-host"],
  ],
  generatedTexts: fc
    .tuple(
      hostportArbitrary,
      createComponentArbitrary("?:@&=/", 24),
      fc.array(fc.tuple(createComponentArbitrary("?:@&"), createComponentArbitrary("?:@&")), {
        maxLength: 4,
      }),
    )
    .map(
      ([where, hsoname, fields]) =>
        `prospero://${where}/${hsoname}${fields.map(([name, value]) => `;${name}=${value}`).join("")}`,
    ),
});

describe("the properties of a ProsperoUrl", () => {
  it("the parser builds a prospero URL from arbitrary bytes and parses the same fields in order", () => {
    fc.assert(
      fc.property(
        bytesArbitrary,
        fc.array(fc.tuple(bytesArbitrary, bytesArbitrary), { maxLength: 4 }),
        (hsoname, fields) => {
          const url = prosperoSyntax.build({ host: "h", hsoname, fields });
          expect(percentDecode(url.hsoname)).toEqual(hsoname);
          expect(url.fields.map(([name, value]) => [percentDecode(name), percentDecode(value)])).toEqual(
            fields,
          );
        },
      ),
    );
  });

  it("a ProsperoUrl has frozen fields", () => {
    const { fields } = prosperoSyntax.parse("prospero://h/x;a=b");
    expect(Object.isFrozen(fields)).toBe(true);
    expect(Object.isFrozen(fields[0])).toBe(true);
  });

  it("the parser parses a prospero URL with two million fields", () => {
    const text = `prospero://h/x${";=".repeat(fieldCountBeyondStackSize)}`;
    const options = { mode: "rfc1738", maxLength: text.length + 1 } as const;
    expect(prosperoSyntax.canParse(text, options)).toBe(true);
    expect(prosperoSyntax.tryParse(`${text};`, options).fault?.code).toBe("bad-field");
  });

  it("prospero URLs have the default port 1525", () => {
    expect(prosperoSyntax.parse("prospero://h/x").effectivePort).toBe(1525);
  });
});
