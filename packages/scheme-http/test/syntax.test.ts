import { percentDecode, UrlSyntaxError } from "@anyscheme/core/syntax";
import { httpsSyntax, httpSyntax } from "@anyscheme/scheme-http/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("parsing http URLs that conform to RFC 1738", () => {
  it.each<[string, string, string | undefined, string | undefined, string]>([
    // The URLs in the References and in the status section of RFC 1738.
    [
      "http://www.acl.lanl.gov/URI/archive/uri-archive.index.html",
      "www.acl.lanl.gov",
      "URI/archive/uri-archive.index.html",
      undefined,
      "/URI/archive/uri-archive.index.html",
    ],
    ["http://ds.internic.net/rfc", "ds.internic.net", "rfc", undefined, "/rfc"],
    // §3.3: "If neither <path> nor <searchpart> is present, the "/" may also be omitted."
    ["http://host", "host", undefined, undefined, "/"],
    ["http://host/", "host", "", undefined, "/"],
    ["http://host/?", "host", "", "", "/?"],
    ["http://host/?q", "host", "", "q", "/?q"],
    ["http://host/p?", "host", "p", "", "/p?"],
    ["http://host/a/b?c=d&e;f", "host", "a/b", "c=d&e;f", "/a/b?c=d&e;f"],
    ["http://host//a//b/", "host", "/a//b/", undefined, "//a//b/"],
    ["http://host/a/../b/./c", "host", "a/../b/./c", undefined, "/a/../b/./c"],
    ["http://host/%2f%2F%0d%0A?%2f%3f", "host", "%2f%2F%0d%0A", "%2f%3f", "/%2f%2F%0d%0A?%2f%3f"],
    ["http://host/;:@&=$-_.+!*'(),", "host", ";:@&=$-_.+!*'(),", undefined, "/;:@&=$-_.+!*'(),"],
  ])("the parser parses the URL %s without deviations", (text, host, path, search, target) => {
    const url = httpSyntax.parse(text, { mode: "rfc1738" });
    expect(url).toMatchObject({ scheme: "http", host, path, search, requestTarget: target, user: undefined });
    expect(url.deviations).toEqual([]);
    expect(httpSyntax.format(url)).toBe(text);
  });

  it("the port defaults to 80 for http, and to 443 for https", () => {
    expect(httpSyntax.parse("http://h/").effectivePort).toBe(80);
    expect(httpsSyntax.parse("https://h/").effectivePort).toBe(443);
    expect(httpsSyntax.parse("HTTPS://h:08080")).toMatchObject({
      scheme: "https",
      port: "08080",
      effectivePort: 8080,
    });
  });

  it("components() returns the parts of an http URL by name", () => {
    expect(httpSyntax.parse("http://h:8/p?q").components()).toEqual({
      scheme: "http",
      host: "h",
      port: "8",
      path: "p",
      search: "q",
    });
  });
});

describe("http URLs that are refused in both modes", () => {
  it.each<[text: string, modern: string, rfc1738?: string]>([
    // §3.3: "No user name or password is allowed."
    ["http://user@other@host/", "at-sign", "login-not-allowed"],
    ["http://good.example?@evil.example/", "login-question-mark", "login-not-allowed"],
    ["http://good.example?@evil.example", "login-question-mark", "login-not-allowed"],
    ["http:host/", "missing-slashes"],
    ["http:/host/", "missing-slashes"],
    ["http:///path", "empty-host"],
    ["http://?q", "empty-host"],
    ["http://:80/", "empty-host"],
    ["http://host/a\r\nb", "control"],
    ["http://host/?a\tb", "control"],
    ["http://host/a\\b", "backslash"],
    ["http://127.1/", "bad-host-number"],
    ["http://host:99999/", "port-range"],
    ["https://host/", "wrong-scheme"],
  ])("the parser refuses the URL %s with the fault %s", (text, code, strictCode = code) => {
    expect(httpSyntax.tryParse(text).fault?.code).toBe(code);
    expect(httpSyntax.tryParse(text, { mode: "rfc1738" }).fault?.code).toBe(strictCode);
    expect(() => httpSyntax.parse(text)).toThrow(UrlSyntaxError);
  });
});

describe("http URLs that only modern mode accepts", () => {
  it.each([
    ["http://h/p?a/b?c", ["reserved", "reserved"], "/p?a/b?c", "http://h/p?a%2Fb%3Fc"],
    ["http://h/p?a?b", ["reserved"], "/p?a?b", "http://h/p?a%3Fb"],
    ["http://h?q", ["missing-slash"], "/?q", "http://h/?q"],
    ["http://h:81?q=/", ["missing-slash", "reserved"], "/?q=/", "http://h:81/?q=%2F"],
    ["http://h?", ["missing-slash"], "/?", "http://h/?"],
    ["http://h/~u/{x}", ["unsafe", "unsafe", "unsafe"], "/~u/%7Bx%7D", "http://h/%7Eu/%7Bx%7D"],
    // The path and query of a signed URL stay unchanged.
    ["http://h/~joe/?a[]=1", ["unsafe", "unsafe", "unsafe"], "/~joe/?a[]=1", "http://h/%7Ejoe/?a%5B%5D=1"],
    [
      "http://h/[|]^`?[|]^`{}'",
      Array<string>(12).fill("unsafe"),
      "/[|]%5E%60?[|]^`{}'",
      "http://h/%5B%7C%5D%5E%60?%5B%7C%5D%5E%60%7B%7D'",
    ],
    [
      'http://h/a b"<>',
      ["space", "delimiter", "delimiter", "delimiter"],
      "/a%20b%22%3C%3E",
      "http://h/a%20b%22%3C%3E",
    ],
    [
      'http://h/?a b"<>',
      ["space", "delimiter", "delimiter", "delimiter"],
      "/?a%20b%22%3C%3E",
      "http://h/?a%20b%22%3C%3E",
    ],
    ["http://h/%?%4&%zz", ["bad-escape", "bad-escape", "bad-escape"], "/%?%4&%zz", "http://h/%25?%254&%25zz"],
    ["http://h/?a\\b", ["backslash"], "/?a%5Cb", "http://h/?a%5Cb"],
    ["http://user:pa%20ss@host/p", ["login-not-allowed"], "/p", "http://host/p"],
    ["http://user@host?q", ["login-not-allowed", "missing-slash"], "/?q", "http://host/?q"],
    ["http://@host/", ["login-not-allowed"], "/", "http://host/"],
    ["http://h/é?ü", ["non-ascii", "non-ascii"], "/%C3%A9?%C3%BC", "http://h/%C3%A9?%C3%BC"],
    ["http://h/p?q#part", ["fragment"], "/p?q", "http://h/p?q"],
    ["http://h?q#/", ["missing-slash", "fragment"], "/?q", "http://h/?q"],
    ["http://h#?", ["fragment"], "/", "http://h"],
  ])("the parser parses the URL %s with the deviations %j", (text, codes, target, formatted) => {
    const url = httpSyntax.parse(text);
    expect(url.deviations.map(({ code }) => code)).toEqual(codes);
    expect(url.requestTarget).toBe(target);
    expect(httpSyntax.format(url)).toBe(formatted);
    expect(httpSyntax.tryParse(text, { mode: "rfc1738" }).fault?.code).toBe(codes[0]);
    expect(httpSyntax.canParse(formatted, { mode: "rfc1738" })).toBe(true);
  });

  it.each([
    ["http://h/a/../b/./c?d/../e", "/b/c?d/../e"],
    ["http://h/a/%2E%2e/b", "/b"],
    ["http://h/../..", "/"],
    ["http://h/a/.", "/a/"],
    ["http://h/a//../b", "/a/b"],
    ["http://h/.well-known/...", "/.well-known/..."],
  ])("the request target of %s has no dot segments: %s", (text, target) => {
    expect(httpSyntax.parse(text).requestTarget).toBe(target);
    const exact = httpSyntax.tryParse(text, { mode: "rfc1738" }).url;
    if (exact) expect(exact.requestTarget).toBe(text.slice("http://h".length));
  });

  it("an http URL masks the password of its login, and normalize keeps it", () => {
    const url = httpSyntax.parse("http://user:secret@Host:80/");
    expect(String(url)).toBe("http://user:****@Host:80/");
    expect(url).toMatchObject({ user: "user", password: "secret", host: "Host" });
    expect(url.components()).toMatchObject({ user: "user", password: "****" });
    expect(httpSyntax.normalize(url)).toBe("http://user:secret@host/");
  });

  it.each([
    ["http://h/a'b?c='d", [{ parser: "WHATWG URL", requestTarget: "/a'b?c=%27d" }]],
    ["http://h/?a\\b", [{ parser: "WHATWG URL", requestTarget: "/?a\\b" }]],
    ["http://User:p@H.Example:080/a/../b?c", []],
    ["http://[::FFFF:1.2.3.4]/", []],
    ["http://Bücher.example./é?é", []],
    ["http://h/?", []],
    ["http://h/a?#b?", []],
    ["http://h/a?'", [{ parser: "WHATWG URL", requestTarget: "/a?%27" }]],
  ])("the parser lists how other parsers read %s: %j", (text, readings) => {
    expect(httpSyntax.parse(text).parserDifferences).toEqual(readings);
  });

  it("the parser lists how other parsers read dot segments in the mode rfc1738", () => {
    expect(httpSyntax.parse("http://h/a/../b", { mode: "rfc1738" }).parserDifferences).toEqual([
      { parser: "RFC 3986", requestTarget: "/b" },
      { parser: "WHATWG URL", requestTarget: "/b" },
    ]);
  });

  it("the deviation missing-slash has the index of the missing slash", () => {
    expect(httpSyntax.parse("http://h?q").deviations[0]).toMatchObject({ index: 8, length: 0 });
    expect(httpSyntax.parse("http://h?q")).toMatchObject({ path: undefined, search: "q" });
  });
});

describe("building http URLs from their parts", () => {
  it.each([
    [{ host: "h" }, "http://h"],
    [{ host: "h", port: 8080, path: "" }, "http://h:8080/"],
    [{ host: "h", path: "a b/c;d?e%" }, "http://h/a%20b/c;d%3Fe%25"],
    [{ host: "h", path: ["a/b", "c", ""] }, "http://h/a%2Fb/c/"],
    [{ host: "h", path: new Uint8Array([0x2f, 0x00, 0xff]) }, "http://h//%00%FF"],
    [{ host: "h", search: "a=b&c=d/e?" }, "http://h/?a=b&c=d%2Fe%3F"],
    [{ host: "h", path: "é", search: "" }, "http://h/%C3%A9?"],
  ])("build creates an http URL from the parts %j", (parts, text) => {
    expect(httpSyntax.build(parts).href).toBe(text);
    expect(httpsSyntax.build(parts).href).toBe(text.replace("http", "https"));
  });

  it("building an http URL refuses an invalid host", () => {
    expect(() => httpSyntax.build({ host: "a b" })).toThrow(UrlSyntaxError);
    expect(() => httpSyntax.build({ host: "u@h" })).toThrow(UrlSyntaxError);
  });
});

describe("properties of all http URLs", () => {
  const bytes = fc.uint8Array({ maxLength: 20 });

  it("every byte of a path segment and of the search is unchanged after building and parsing", () => {
    const property = fc.property(fc.array(bytes, { minLength: 1, maxLength: 4 }), bytes, (path, search) => {
      const url = httpSyntax.build({ host: "h", path, search });
      expect((url.path ?? "").split("/").map(percentDecode)).toEqual(path);
      expect(percentDecode(url.search ?? "")).toEqual(search);
      expect(httpSyntax.format(httpSyntax.parse(url.href, { mode: "rfc1738" }))).toBe(url.href);
      expect(url.requestTargetAsIs).toBe(url.href.slice("http://h".length));
    });
    fc.assert(property);
  });

  it("format writes every parsed http URL as a conforming URL, and every request target is valid", () => {
    const text = fc.string({ unit: "grapheme-ascii", maxLength: 30 });
    const property = fc.property(fc.constantFrom("/", "?", "/a?"), text, (first, rest) => {
      const { url } = httpSyntax.tryParse(`http://h${first}${rest}`);
      if (!url) return;
      expect(httpSyntax.canParse(httpSyntax.format(url), { mode: "rfc1738" })).toBe(true);
      expect(url.requestTarget).toMatch(/^\/[!-~]*$/);
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
