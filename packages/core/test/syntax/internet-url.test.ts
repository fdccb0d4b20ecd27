import { describe, expect, it } from "vitest";
import { parseToFaultOrDeviationCodes, type XSampleUrlParts, sampleSyntax } from "./sample-syntax.ts";

describe("a parsed URL distinguishes empty from absent user names and passwords", () => {
  // RFC 1738 §3.1: "an empty user name or password is different than no user name or password"
  const rows: readonly (readonly [text: string, user: string | undefined, password: string | undefined])[] = [
    ["x-sample://host.com/", undefined, undefined],
    ["x-sample://@host.com/", "", undefined],
    ["x-sample://foo@host.com/", "foo", undefined],
    ["x-sample://foo:@host.com/", "foo", ""],
    ["x-sample://:@host.com/", "", ""],
    ["x-sample://:p@host.com/", "", "p"],
    ["x-sample://foo:bar@host.com/", "foo", "bar"],
    ["x-sample://f;?&=:b;?&=@host.com/", "f;?&=", "b;?&="],
    ["x-sample://f%40o:%3A%2F@host.com/", "f%40o", "%3A%2F"],
  ];
  it.each(rows)("the URL %s has the user %j and the password %j", (text, user, password) => {
    const url = sampleSyntax.parse(text, { mode: "rfc1738" });
    expect([url.user, url.password, url.host, url.path]).toEqual([user, password, "host.com", ""]);
    expect(url.href).toBe(text);
  });

  it("format and build distinguish an empty user name or password from an absent one", () => {
    for (const user of [undefined, "", "a"]) {
      for (const password of [undefined, "", "b"]) {
        const url = sampleSyntax.build({ user, password, host: "h" });
        expect(url.password).toBe(password);
        expect(url.user).toBe(user ?? (password === undefined ? undefined : ""));
        expect(sampleSyntax.format(url)).toBe(url.href);
      }
    }
  });
});

describe("invalid logins", () => {
  it.each([
    ["x-sample://a@b@h/", "at-sign", 12],
    ["x-sample://a:b@c@h/", "at-sign", 14],
    ["x-sample://@@h/", "at-sign", 11],
    ["x-sample://a:b:c@h/", "reserved", 14],
    ["x-sample://a:b%@h/", "bad-escape", 14],
    ["x-sample://a b@h/", "space", 12],
    ["x-sample://a\\b@h/", "backslash", 12],
    ["x-sample://a~b@h/", "unsafe", 12],
    ["x-sample://a[b@h/", "unsafe", 12],
    ["x-sample://a:b/c@h/", "bad-port", 13],
    ["x-sample:/h/", "missing-slashes", 9],
    ["x-sample:h", "missing-slashes", 9],
    ["x-sample:", "missing-slashes", 9],
  ])("both modes reject %s with the fault %s at the offset %i", (text, code, index) => {
    expect(sampleSyntax.tryParse(text).fault).toMatchObject({ code, index });
    expect(sampleSyntax.tryParse(text, { mode: "rfc1738" }).fault).toMatchObject({ code, index });
  });

  it("modern mode accepts non-ASCII characters in a login", () => {
    expect(parseToFaultOrDeviationCodes("x-sample://jürgen:pä@h/", "rfc1738")).toBe("non-ascii");
    const url = sampleSyntax.parse("x-sample://jürgen:pä@h/");
    expect(sampleSyntax.format(url)).toBe("x-sample://j%C3%BCrgen:p%C3%A4@h/");
  });
});

describe("a '?' in a login", () => {
  it.each([
    ["x-sample://good.dom?@evil.dom/", "good.dom", "x-sample://good.dom%3F@evil.dom/"],
    ["x-sample://good.dom:21?x@evil.dom/", "good.dom", "x-sample://good.dom:21%3Fx@evil.dom/"],
    ["x-sample://?@evil.dom/", "", "x-sample://%3F@evil.dom/"],
  ])("a parser of RFC 3986 finds another host in %s: %j", (text, host, written) => {
    const url = sampleSyntax.parse(text, { mode: "rfc1738" });
    expect(url.host).toBe("evil.dom");
    expect(url.parserDifferences[0]).toMatchObject({ parser: "RFC 3986", host });
    expect(sampleSyntax.tryParse(text).fault?.code).toBe("login-question-mark");
    expect(sampleSyntax.format(url)).toBe(written);
    expect(sampleSyntax.parse(written).parserDifferences).toEqual([]);
  });

  it.each([
    ["x-sample://joe:123?4@evil.dom/", "joe"],
    ["x-sample://evil.dom:123?4@evil.dom/", "evil.dom"],
    ["x-sample://:123?4@evil.dom/", ""],
  ])("parserDifferences of %s contains no part of the password", (text, host) => {
    const url = sampleSyntax.parse(text, { mode: "rfc1738" });
    expect(url.parserDifferences).toContainEqual({ parser: "RFC 3986", host });
    expect(JSON.stringify(url.parserDifferences)).not.toContain("123");
  });

  it("other parsers agree on a question mark in the path, and build escapes a question mark in the login", () => {
    expect(sampleSyntax.parse("x-sample://u@h/a?b@c").parserDifferences).toEqual([]);
    expect(sampleSyntax.build({ user: "a?b", password: "?", host: "h" }).href).toBe("x-sample://a%3Fb:%3F@h");
  });
});

describe("ports", () => {
  it.each([
    ["", "ok", "ok", undefined, 7],
    [":0", "ok", "ok", "0", 0],
    [":7", "ok", "ok", "7", 7],
    [":00021", "ok", "ok", "00021", 21],
    [":65535", "ok", "ok", "65535", 65535],
    [":65536", "port-range", "port-range", undefined, 0],
    [":99999999999999999999", "port-range", "port-range", undefined, 0],
    [":0000000000000000000065535", "ok", "ok", "0000000000000000000065535", 65535],
    [":+21", "bad-port", "bad-port", undefined, 0],
    [":-1", "bad-port", "bad-port", undefined, 0],
    [":2 1", "bad-port", "bad-port", undefined, 0],
    [":2%31", "bad-port", "bad-port", undefined, 0],
    [":２１", "bad-port", "bad-port", undefined, 0],
    [":0x15", "bad-port", "bad-port", undefined, 0],
    [":21:21", "bad-port", "bad-port", undefined, 0],
    [":", "empty-port", "ok, but empty-port", undefined, 7],
  ] as const)(
    "the port %j gives the result %s in the mode rfc1738, and %s in modern mode",
    (port, rfc1738, modern, digits, effective) => {
      for (const path of ["", "/x"]) {
        const text = `x-sample://h${port}${path}`;
        expect(parseToFaultOrDeviationCodes(text, "rfc1738")).toBe(rfc1738);
        expect(parseToFaultOrDeviationCodes(text, "modern")).toBe(modern);
        const { url } = sampleSyntax.tryParse(text);
        expect(url?.port).toBe(digits);
        expect(url?.effectivePort ?? 0).toBe(effective);
      }
    },
  );

  it("a port follows an IPv6 address in brackets, and format omits an empty port", () => {
    expect(sampleSyntax.parse("x-sample://[::1]:8/")).toMatchObject({
      host: "[::1]",
      port: "8",
      effectiveHost: "::1",
    });
    expect(sampleSyntax.format(sampleSyntax.parse("x-sample://h:/"))).toBe("x-sample://h/");
  });
});

describe("build", () => {
  const rows: readonly (readonly [parts: XSampleUrlParts, text: string])[] = [
    [{ host: "h" }, "x-sample://h"],
    [{ host: "h", path: "" }, "x-sample://h/"],
    [{ host: "h", port: 0, path: "a b" }, "x-sample://h:0/a%20b"],
    [{ host: "h", port: "007" }, "x-sample://h:007"],
    [{ host: "h", user: "a:b@c/d", password: "é%" }, "x-sample://a%3Ab%40c%2Fd:%C3%A9%25@h"],
    [{ host: "h", user: Uint8Array.of(0xff, 0), path: Uint8Array.of(0x25) }, "x-sample://%FF%00@h/%25"],
  ];
  it.each(rows)("build formats the parts %j as %s", (parts, text) =>
    expect(sampleSyntax.build(parts).href).toBe(text),
  );

  const refused: readonly (readonly [parts: XSampleUrlParts, code: string])[] = [
    [{ host: "" }, "empty-host"],
    [{ host: "a/b@c" }, "bad-host"],
    [{ host: "u@h" }, "bad-host"],
    [{ host: "h:25" }, "bad-host"],
    [{ host: "h/x?y" }, "bad-host"],
    [{ host: "h#f" }, "bad-host"],
    [{ host: "[::1]" }, "host-form"],
    [{ host: "127.1" }, "bad-host-number"],
    [{ host: "h", port: "1@evil" }, "bad-port"],
    [{ host: "h", port: "1/x" }, "bad-port"],
    [{ host: "h", port: -1 }, "bad-port"],
    [{ host: "h", port: 65536 }, "port-range"],
  ];
  it.each(refused)("build rejects the parts %j with the fault %s", (parts, code) => {
    expect(() => sampleSyntax.build(parts)).toThrow(
      expect.objectContaining({ name: "UrlSyntaxError", code }),
    );
  });
});
