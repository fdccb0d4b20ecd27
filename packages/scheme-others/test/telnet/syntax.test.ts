import { percentDecode } from "@anyscheme/core/syntax";
import { telnetSyntax } from "@anyscheme/scheme-others/telnet/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineSyntaxTests } from "../define-syntax-tests.ts";
import { authorityArbitrary, bytesArbitrary } from "../url-arbitraries.ts";

// RFC 1738 §3.8, §5: telneturl = "telnet://" login [ "/" ]
defineSyntaxTests({
  syntax: telnetSyntax,
  conforming: [
    ["telnet://user:password@host.dom:23/", { user: "user", password: "****", host: "host.dom", port: "23" }],
    // "The final "/" character may be omitted."
    ["telnet://user:password@host.dom:23", { user: "user", password: "****", host: "host.dom", port: "23" }],
    // "The :<password> can be omitted, as well as the whole <user>:<password> part."
    ["telnet://user@h", { user: "user", host: "h" }],
    ["telnet://h/", { host: "h" }],
    ["TELNET://h", { host: "h" }],
    ["telnet://@h", { user: "", host: "h" }],
    ["telnet://u:@h/", { user: "u", password: "", host: "h" }],
    ["telnet://:p@h/", { user: "", password: "****", host: "h" }],
    ["telnet://a%3Ab;&=c@h:02323/", { user: "a%3Ab;&=c", host: "h", port: "02323" }],
  ],
  rejected: [
    ["telnet:h", "missing-slashes", 7, 0],
    ["telnet://", "empty-host", 9, 0],
    ["telnet://h/x", "bad-path", 11, 1],
    ["telnet://h//", "bad-path", 11, 1],
    ["telnet://h/ls%0D%0A", "bad-path", 11, 8],
    ["telnet://a@b@h/", "at-sign", 10, 1],
    ["telnet://u%0@h/", "bad-escape", 10, 2],
    ["telnet://u x@h/", "space", 10, 1],
    ["telnet://h:65536/", "port-range", 11, 5],
    ["telnet://0x7f.1/", "bad-host-number", 9, 6],
  ],
  acceptedWithDeviations: [
    ["telnet://h:/", ["empty-port"], "telnet://h/", { host: "h" }],
    ["telnet://é@h/", ["non-ascii"], "telnet://%C3%A9@h/", { user: "é", host: "h" }],
    ["telnet://h/#x", ["fragment"], "telnet://h/", { host: "h" }],
  ],
  acceptedWithoutConformingForm: [
    ["telnet://h.", ["host-form"], "telnet://h.", { host: "h." }],
    ["telnet://b_c/", ["host-form"], "telnet://b_c/", { host: "b_c" }],
    ["telnet://[::1]:2323", ["host-form"], "telnet://[::1]:2323", { host: "[::1]", port: "2323" }],
  ],
  builtFromParts: [
    [{ host: "h" }, "telnet://h/"],
    [
      { user: "user", password: "password", host: "host.dom", port: 23 },
      "telnet://user:password@host.dom:23/",
    ],
    [{ user: "a:b@c/d?", host: "h" }, "telnet://a%3Ab%40c%2Fd%3F@h/"],
    [{ password: "p", host: "h" }, "telnet://:p@h/"],
  ],
  invalidParts: [
    [{ host: "" }, "empty-host"],
    [{ host: "h", port: "x" }, "bad-port"],
  ],
  generatedTexts: fc
    .tuple(authorityArbitrary, fc.constantFrom("", "/"))
    .map(([where, slash]) => `telnet://${where}${slash}`),
});

describe("telnet URLs", () => {
  it("the parser builds a URL from any login, and parses the same login", () => {
    fc.assert(
      fc.property(fc.option(bytesArbitrary, { nil: undefined }), bytesArbitrary, (password, user) => {
        const url = telnetSyntax.build({ user, password, host: "h" });
        expect(percentDecode(url.user ?? "none")).toEqual(user);
        expect(url.password === undefined ? undefined : percentDecode(url.password)).toEqual(password);
      }),
    );
  });

  it("the parser shows the password of a URL only in href and format", () => {
    const url = telnetSyntax.parse("telnet://u:needle@h/");
    expect(`${String(url)} ${JSON.stringify(url)} ${JSON.stringify(url.components())}`).not.toContain(
      "needle",
    );
    expect(url.href).toContain("needle");
  });

  it("the path of a telnet URL is absent without the final '/', and empty with the final '/'", () => {
    expect(telnetSyntax.parse("telnet://h").urlPath).toBeUndefined();
    expect(telnetSyntax.parse("telnet://h/").urlPath).toBe("");
    expect(telnetSyntax.parse("telnet://h").effectivePort).toBe(23);
  });

  it("the parser reports the host that other URL parsers find before a '?' in the login", () => {
    const url = telnetSyntax.parse("telnet://good.dom?@evil.dom/", { mode: "rfc1738" });
    expect(url.parserDifferences.map(({ host }) => host)).toEqual(["good.dom", "good.dom"]);
    expect(telnetSyntax.format(url)).toBe("telnet://good.dom%3F@evil.dom/");
  });
});
