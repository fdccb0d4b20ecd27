import { describe, expect, it } from "vitest";
import { genericSyntax, type GenericUrl } from "../../src/syntax/index.ts";
import { judge } from "./sample-syntax.ts";

const syntax = genericSyntax();
const echo = genericSyntax({ schemes: ["x-echo"], defaultPort: 7 });

describe("genericurl = scheme : schemepart", () => {
  it.each([
    // RFC 1738 §2.1: letters, digits, "+", "." and "-", in any place
    ["9p:", "9p", ""],
    ["x:", "x", ""],
    ["+.-:a", "+.-", "a"],
    ["Z39.50R:a/b", "z39.50r", "a/b"],
    ["cid:foo4*foo1@bar.net", "cid", "foo4*foo1@bar.net"],
    ["x:a:b", "x", "a:b"],
    ["x:%00%fF", "x", "%00%fF"],
  ])("%s is opaque", (text, scheme, schemePart) => {
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
  ])("rejects %j with the fault %s", (text, code) => {
    expect(judge(text, "rfc1738", syntax)).toBe(code);
    expect(judge(text, "modern", syntax)).toBe(code);
  });

  it("parses url: as a scheme when it is registered", () => {
    expect(genericSyntax({ schemes: ["url"] }).parse("URL:x").schemePart).toBe("x");
  });
});

describe("ip-schemepart", () => {
  it.each([
    ["x://h", undefined, undefined, "h", undefined, undefined],
    ["x://h/", undefined, undefined, "h", undefined, ""],
    ["x://u:p@h:9/a?b", "u", "p", "h", "9", "a?b"],
    ["x://@h//a", "", undefined, "h", undefined, "/a"],
  ])("%s has a login", (text, user, password, host, port, urlPath) => {
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
  });

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
  ])("%s has none that is valid, and stays opaque", (text) => {
    const url = syntax.parse(text, { mode: "rfc1738" });
    expect([url.hasAuthority, url.host, url.schemePart]).toEqual([false, "", text.slice(2)]);
    expect(syntax.format(url)).toBe(text);
  });

  it("keeps its login when a fragment follows", () => {
    const url = syntax.parse("x://u:p@h/a#b");
    expect([url.hasAuthority, url.password, url.urlPath, url.fragment]).toEqual([true, "p", "a", "b"]);
    expect(url.schemePart).toBe("//u:p@h/a");
  });

  it("masks what may be a password even where the login is not valid", () => {
    for (const text of [
      "x://u:needle@a_b/c",
      "x://u:needle@[::1]/",
      "x://u:nee@dle@h/",
      "x://:needle@",
      "x://u:needle@1.2/x@y#f",
    ]) {
      const url = syntax.parse(text);
      expect(url.hasAuthority).toBe(false);
      expect(`${String(url)} ${JSON.stringify(url.components())}`).not.toMatch(/needle|nee|dle/);
      expect(String(url)).toContain(":****@");
      expect(url.href).toBe(text);
    }
  });
});

describe("a registered generic scheme", () => {
  it("has a default port and a typed name", () => {
    const url: GenericUrl<"x-echo"> = echo.parse("X-Echo://h");
    expect([url.scheme, url.effectivePort]).toEqual(["x-echo", 7]);
    expect(echo.build({ schemePart: "//h/a b#" }).href).toBe("x-echo://h/a%20b%23");
    expect(syntax.build({ scheme: "x", schemePart: "1%" }).href).toBe("x:1%25");
    expect(() => syntax.build({ schemePart: "a" })).toThrow(
      expect.objectContaining({ code: "missing-scheme" }),
    );
  });

  it("repairs on output what it lets in", () => {
    expect(syntax.format(syntax.parse("x:a~ü"))).toBe("x:a%7E%C3%BC");
    expect(echo.format(echo.parse("x-echo://h/a|b#c"))).toBe("x-echo://h/a%7Cb");
    expect(echo.format(echo.parse("x-echo://a?b:c?@h/?"))).toBe("x-echo://a%3Fb:c%3F@h/?");
    // The text is a valid login only once its "ü" is escaped.
    expect(echo.format(echo.parse("x-echo://ü?b@h/?"))).toBe("x-echo://%C3%BC%3Fb@h/?");
    expect(echo.build({ schemePart: "//ü?b@h" }).href).toBe("x-echo://%C3%BC%3Fb@h");
  });
});
