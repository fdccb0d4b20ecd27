import { describe, expect, it } from "vitest";
import { createGenericSyntax, type GenericUrl } from "../../src/syntax/index.ts";
import { parseToFaultOrDeviationCodes } from "./sample-syntax.ts";

const syntax = createGenericSyntax();
const echoSyntax = createGenericSyntax({ schemes: ["x-echo"], defaultPort: 7 });

describe("the production genericurl = scheme : schemepart", () => {
  it.each([
    // RFC 1738 §2.1: a scheme name has letters, digits, "+", "." and "-" in any order.
    ["9p:", "9p", ""],
    ["x:", "x", ""],
    ["+.-:a", "+.-", "a"],
    ["Z39.50R:a/b", "z39.50r", "a/b"],
    ["cid:foo4*foo1@bar.net", "cid", "foo4*foo1@bar.net"],
    ["x:a:b", "x", "a:b"],
    ["x:%00%fF", "x", "%00%fF"],
  ])("the scheme-specific part of %s is opaque in the mode rfc1738", (text, scheme, schemePart) => {
    const url = syntax.parse(text, { mode: "rfc1738" });
    expect([url.scheme, url.schemePart, url.hasAuthority, url.host, url.urlPath]).toEqual([
      scheme,
      schemePart,
      false,
      "",
      undefined,
    ]);
    expect(syntax.format(url)).toBe(text);
    expect(url.components()).toEqual({ scheme, schemePart });
  });

  it.each([
    ["", "missing-scheme"],
    [":a", "missing-scheme"],
    ["//h/", "missing-scheme"],
    ["a b:c", "bad-scheme"],
    ["x_y:c", "bad-scheme"],
    ["ü:c", "bad-scheme"],
    ["%78:c", "bad-scheme"],
    ["URL:ftp://h/", "wrapper-prefix"],
    ["url:x", "wrapper-prefix"],
  ])("the generic syntax rejects %j with the fault %s", (text, code) => {
    expect(parseToFaultOrDeviationCodes(text, "rfc1738", syntax)).toBe(code);
    expect(parseToFaultOrDeviationCodes(text, "modern", syntax)).toBe(code);
  });

  it("the prefix url: is a scheme when a scheme of this name is registered", () => {
    expect(createGenericSyntax({ schemes: ["url"] }).parse("URL:x").schemePart).toBe("x");
  });
});

describe("the production ip-schemepart", () => {
  it.each([
    ["x://h", undefined, undefined, "h", undefined, undefined],
    ["x://h/", undefined, undefined, "h", undefined, ""],
    ["x://u:p@h:9/a?b", "u", "p", "h", "9", "a?b"],
    ["x://@h//a", "", undefined, "h", undefined, "/a"],
  ])(
    "the parser splits the ip-schemepart of %s into its components",
    (text, user, password, host, port, urlPath) => {
      const url = syntax.parse(text, { mode: "rfc1738" });
      expect([url.user, url.password, url.host, url.port, url.urlPath]).toEqual([
        user,
        password,
        host,
        port,
        urlPath,
      ]);
      expect(url.hasAuthority).toBe(true);
      expect(url.schemePart).toBe(text.slice(2));
    },
  );

  it.each([
    "x://",
    "x:///a",
    "x://1.2.3/",
    "x://h:/",
    "x://a_b/",
    "x://h:99999/",
    "x://%41/",
    "x://a@b@c/",
    "x:////",
  ])("the scheme part of %s is no valid ip-schemepart, and is parsed as opaque", (text) => {
    const url = syntax.parse(text, { mode: "rfc1738" });
    expect([url.hasAuthority, url.host, url.schemePart]).toEqual([false, "", text.slice(2)]);
    expect(syntax.format(url)).toBe(text);
  });

  it.each(["x:////", "x:///a"])("%s begins with an empty authority in modern mode", (text) => {
    const url = syntax.parse(text);
    expect([url.hasAuthority, url.host, url.urlPath]).toEqual([true, "", text.slice(5)]);
    expect(url.deviations).toEqual([]);
    expect(syntax.format(url)).toBe(text);
  });

  it.each([
    ["joe:needle@h.example", "joe:****@h.example"],
    ["joe:needle@h.example:8080/a", "joe:****@h.example:8080/a"],
    ["JOE:needle@h", "JOE:****@h"],
    ["joe:/needle@h", "joe:****@h"],
    ["joe:needle%40h.example", "joe:****%40h.example"],
    ["joe:nee/dle@h", "joe:****@h"],
    ["x:joe:needle@h", "x:****@h"],
    ["x:/joe:needle@h/a", "x:****@h/a"],
    ["x::needle@h", "x:****@h"],
    ["x:joe:nee@dle@h:7", "x:****@h:7"],
    ["x:joe:nee#dle@h", "x:****@h"],
    ["x:@h", "x:@h"],
    ["x:a:b", "x:a:b"],
    ["mailto:joe@h", "mailto:joe@h"],
    ["news:123@h", "news:123@h"],
    ["sip:joe@h", "sip:joe@h"],
    ["sip:joe:needle@h", "sip:joe:****@h"],
  ])("String shows the URL %s, which has no authority, as %s in both modes", (text, shown) => {
    for (const mode of ["modern", "rfc1738"] as const) {
      const { url } = syntax.tryParse(text, { mode });
      if (!url) continue;
      expect([String(url), url.href]).toEqual([shown, text]);
      expect(JSON.stringify([url, url.components()])).not.toMatch(/needle|nee|dle/);
    }
    expect(syntax.canParse(text)).toBe(true);
  });

  it.each([
    ["x:joe:needle@h", "x:joe:****@h"],
    ["x::needle@h", "x::****@h"],
    ["X:joe@h", "X:joe@h"],
    ["x:joe:@h", "x:joe:@h"],
  ])("String shows the URL %s of a declared scheme as %s", (text, shown) => {
    expect(String(createGenericSyntax({ schemes: ["x"] }).parse(text))).toBe(shown);
  });

  it("a URL with a fragment keeps its login and its path", () => {
    const url = syntax.parse("x://u:p@h/a#b");
    expect([url.hasAuthority, url.password, url.urlPath, url.fragment]).toEqual([true, "p", "a", "b"]);
    expect(url.schemePart).toBe("//u:p@h/a");
  });

  it.each([
    "x://u:needle@a_b/c",
    "x://u:nee@dle@h/",
    "x://:needle@",
    "x://u:needle@1.2/x@y",
    "x://u:needle%40h",
  ])("the mode rfc1738 masks the possible password of the opaque text %s", (text) => {
    const url = syntax.parse(text, { mode: "rfc1738" });
    expect(url.hasAuthority).toBe(false);
    expect(`${String(url)} ${JSON.stringify(url.components())}`).not.toMatch(/needle|nee|dle/);
    expect(String(url)).toMatch(/:\*{4}(?:@|%40)/);
    expect(url.href).toBe(text);
  });
});

describe("modern mode parses the authority by RFC 3986 §3.2", () => {
  it.each([
    ["x://[2001:DB8::1]:7/a", "[2001:DB8::1]", "2001:db8::1", "7", "a", "host-form"],
    ["x://u:p@[::1]", "[::1]", "::1", undefined, undefined, "host-form"],
    ["x://a_b.c/", "a_b.c", "a_b.c", undefined, "", "host-form"],
    ["x://H.Example./a", "H.Example.", "h.example.", undefined, "a", "host-form"],
    ["x://-a-.b/", "-a-.b", "-a-.b", undefined, "", "host-form"],
    ["x://bücher.example/", "bücher.example", "xn--bcher-kva.example", undefined, "", "host-form"],
    ["x://xn--bcher-kva.example/", "xn--bcher-kva.example", "xn--bcher-kva.example", undefined, "", ""],
    ["x://h:/a", "h", "h", undefined, "a", "empty-port"],
    ["x://h?q/r", "h", "h", undefined, "?q/r", "missing-slash"],
    ["x://h?q/r@s", "h", "h", undefined, "?q/r@s", "missing-slash"],
    ["x://u@h?q", "h", "h", undefined, "?q", "missing-slash"],
    ["x://?q", "", "", undefined, "?q", "missing-slash"],
    ["x://h/a?b@c", "h", "h", undefined, "a?b@c", ""],
    ['x://h/a b~[]"%', "h", "h", undefined, 'a b~[]"%', "space unsafe unsafe unsafe delimiter bad-escape"],
  ])("the URL %s has the host %s", (text, host, effectiveHost, port, urlPath, deviations) => {
    const url = syntax.parse(text);
    expect([url.hasAuthority, url.host, url.effectiveHost, url.port, url.urlPath]).toEqual([
      true,
      host,
      effectiveHost,
      port,
      urlPath,
    ]);
    expect(url.deviations.map(({ code }) => code).join(" ")).toBe(deviations);
    expect(url.parserDifferences).toEqual([]);
    expect(syntax.canParse(text)).toBe(true);
    const formatted = syntax.parse(syntax.format(url));
    expect([formatted.effectiveHost, formatted.port]).toEqual([effectiveHost, port]);
    expect(syntax.normalize(formatted)).toBe(syntax.normalize(url));
  });

  it.each([
    ["x://1.2.3/", "bad-host-number"],
    ["x://0x7f.1/", "bad-host-number"],
    ["x://h:99999/", "port-range"],
    ["x://h:p/", "bad-port"],
    ["x://:80/", "empty-host"],
    ["x://u@/a", "empty-host"],
    ["x://%41/", "escape-in-host"],
    ["x://a@b@c/", "at-sign"],
    ["x://a..b/", "bad-host"],
    ["x://a,b/", "bad-host"],
    ["x://[::1/", "bad-host"],
    ["x://xn--a/", "bad-a-label"],
    ["x://good?@evil/", "login-question-mark"],
    ["x://u:a?b@h/", "login-question-mark"],
    ["x://u@good?@evil", "login-question-mark"],
    ["x://h\\@evil/", "backslash"],
    ["x:\\\\h/", "backslash"],
  ])("modern mode rejects %s with the fault %s", (text, code) => {
    expect(parseToFaultOrDeviationCodes(text, "modern", syntax)).toBe(code);
    expect(syntax.canParse(text)).toBe(false);
  });

  it.each([
    ["x://[0:0::FF]:007/%61", "x://[0:0::FF]:007/%61", "x://[::ff]:007/a"],
    ["x://Bücher.Example/é", "x://xn--bcher-kva.example/%C3%A9", "x://xn--bcher-kva.example/%C3%A9"],
    ["x://A_b:/", "x://A_b/", "x://a_b/"],
    ["x://H?%61", "x://H/?%61", "x://h/?a"],
    ["x:///%61", "x:///%61", "x:///a"],
  ])("format writes %s as %s, and the normal form is %s", (text, formatted, normal) => {
    const url = syntax.parse(text);
    expect(syntax.format(url)).toBe(formatted);
    expect(syntax.normalize(url)).toBe(normal);
    expect(syntax.normalize(syntax.parse(normal))).toBe(normal);
  });

  it("parserDifferences of an opaque text in the mode rfc1738 has the host that other parsers find", () => {
    const { parserDifferences } = syntax.parse("x://a_b/", { mode: "rfc1738" });
    expect(parserDifferences).toEqual([
      { parser: "RFC 3986", host: "a_b" },
      { parser: "WHATWG URL", host: "a_b" },
    ]);
  });
});

describe("a registered generic scheme", () => {
  it("a registered generic scheme has its default port and the type of its name", () => {
    const url: GenericUrl<"x-echo"> = echoSyntax.parse("X-Echo://h");
    expect([url.scheme, url.effectivePort]).toEqual(["x-echo", 7]);
    expect(echoSyntax.build({ schemePart: "//h/a b#" }).href).toBe("x-echo://h/a%20b%23");
    expect(syntax.build({ scheme: "x", schemePart: "1%" }).href).toBe("x:1%25");
    expect(() => syntax.build({ schemePart: "a" })).toThrow(
      expect.objectContaining({ code: "missing-scheme" }),
    );
  });

  it("format and build escape the characters that modern mode accepts", () => {
    expect(syntax.format(syntax.parse("x:a~ü"))).toBe("x:a%7E%C3%BC");
    expect(echoSyntax.format(echoSyntax.parse("x-echo://h/a|b#c"))).toBe("x-echo://h/a%7Cb");
    expect(echoSyntax.format(echoSyntax.parse("x-echo://a?b:c?@h/?", { mode: "rfc1738" }))).toBe(
      "x-echo://a%3Fb:c%3F@h/?",
    );
    // The text is a valid login of RFC 1738 only after its "ü" has been escaped.
    expect(echoSyntax.build({ schemePart: "//ü?b@h" }).href).toBe("x-echo://%C3%BC%3Fb@h");
  });
});

describe("build of a generic scheme", () => {
  it.each([
    ["//a@b@c/", "at-sign"],
    ["//h:99999/", "port-range"],
    ["//[::1]/", "escape-in-host"],
  ])("build rejects the part %s, which is opaque only in RFC 1738", (schemePart, code) => {
    expect(() => echoSyntax.build({ schemePart })).toThrow(expect.objectContaining({ code }));
  });

  it("build returns a URL with the deviations of a host that has the form of a later standard", () => {
    const url = echoSyntax.build({ schemePart: "//a_b/" });
    expect([url.host, url.deviations.map(({ code }) => code)]).toEqual(["a_b", ["host-form"]]);
  });
});
