import { UrlSyntaxError } from "@anyscheme/core";
import type { UrlParseOptions } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import {
  type FtpUrlBuildParts,
  ftpSyntax,
  type FtpTypecode,
  type FtpUrl,
} from "@anyscheme/scheme-ftp/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const parseFtpUrl = (text: string, options?: UrlParseOptions): FtpUrl => ftpSyntax.parse(text, options);
const formatFtpUrl = (url: FtpUrl): string => ftpSyntax.format(url);
const buildFtpUrl = (parts: FtpUrlBuildParts): FtpUrl => ftpSyntax.build(parts);
const RFC1738_MODE = { mode: "rfc1738" } as const;

describe("an ftp URL distinguishes a missing user or password from an empty one (RFC 1738 §3.1)", () => {
  it.each([
    ["ftp://@host.com/", "", undefined],
    ["ftp://host.com/", undefined, undefined],
    ["ftp://foo:@host.com/", "foo", ""],
    ["ftp://foo@host.com/", "foo", undefined],
    ["ftp://:p@host.com/", "", "p"],
  ])("the parser parses user and password of %s", (text, user, password) => {
    const url = parseFtpUrl(text, RFC1738_MODE);
    expect([url.user, url.password]).toEqual([user, password]);
    expect(formatFtpUrl(url)).toBe(text);
  });
});

describe("an ftp URL has directories, a name and a type (RFC 1738 §3.2.2)", () => {
  it.each<[string, string[], string | undefined, string | undefined]>([
    ["ftp://myname@host.dom/%2Fetc/motd", ["%2Fetc"], "motd", undefined],
    ["ftp://myname@host.dom/etc/motd", ["etc"], "motd", undefined],
    ["ftp://myname@host.dom//etc/motd", ["", "etc"], "motd", undefined],
    ["ftp://info.cern.ch/pub/www/doc;type=d", ["pub", "www"], "doc", "d"],
    ["ftp://ds.internic.net/rfc/rfc1436.txt;type=a", ["rfc"], "rfc1436.txt", "a"],
    ["ftp://h.dom", [], undefined, undefined],
    ["ftp://h.dom/", [], "", undefined],
    ["ftp://h.dom//", [""], "", undefined],
    ["ftp://h.dom/a//", ["a", ""], "", undefined],
    ["ftp://h.dom/;type=D", [], "", "D"],
    ["ftp://h.dom/a/../b?c=d&e:f@g", ["a", ".."], "b?c=d&e:f@g", undefined],
    ["ftp://h.dom:021/x%3Btype=a;type=I", [], "x%3Btype=a", "I"],
  ])("the parser parses directories, name and type of %s", (text, cwd, name, type) => {
    const url = parseFtpUrl(text, RFC1738_MODE);
    expect([url.cwd, url.name, url.type]).toEqual([cwd, name, type]);
    expect(url.deviations).toEqual([]);
    expect(formatFtpUrl(url)).toBe(text);
  });

  it.each([
    "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt",
    "ftp://ds.internic.net/rfc/rfc1630.txt",
    "ftp://info.cern.ch/pub/www/doc/http-spec.txt.Z",
    "ftp://quake.think.com/pub/wais/doc/protspec.txt",
    "ftp://ds.internic.net/internet-drafts/draft-ietf-uri-irl-fun-req-02.txt",
    "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z",
    "ftp://uu.psi.com/wp/nir.txt",
    "ftp://ds.internic.net/rfc",
  ])("the parser parses and formats %s, a URL from the references of RFC 1738", (text) => {
    expect(formatFtpUrl(parseFtpUrl(text, RFC1738_MODE))).toBe(text);
  });
});

describe("ftpSyntax reports deviations from the grammar", () => {
  it.each<[string, string, number, string]>([
    ["ftp://h.dom/file.txt;1", "reserved", 20, "ftp://h.dom/file.txt%3B1"],
    ["ftp://h.dom/a;b/c;d;type=i", "reserved", 13, "ftp://h.dom/a%3Bb/c%3Bd;type=i"],
    ["ftp://h.dom/x;TYPE=a", "type-keyword", 13, "ftp://h.dom/x;type=a"],
    ["ftp://h.dom/a b", "space", 13, "ftp://h.dom/a%20b"],
    ["ftp://h.dom/a%0", "bad-escape", 13, "ftp://h.dom/a%250"],
    ["ftp://h.dom/~me/x", "unsafe", 12, "ftp://h.dom/%7Eme/x"],
    ["ftp://h.dom/é", "non-ascii", 12, "ftp://h.dom/%C3%A9"],
    ["ftp://h.dom/x#part", "fragment", 13, "ftp://h.dom/x"],
    ["ftp://[::1]/x", "host-form", 6, "ftp://[::1]/x"],
  ])("ftpSyntax accepts %s in modern mode with the deviation %s", (text, code, index, repaired) => {
    const url = parseFtpUrl(text);
    expect(url.deviations[0]).toMatchObject({ code, index });
    expect(formatFtpUrl(url)).toBe(repaired);
    expect(ftpSyntax.tryParse(text, RFC1738_MODE).fault).toMatchObject({ code, index });
  });

  it.each<[string, string, number]>([
    ["ftp://h.dom/x;type=", "bad-typecode", 19],
    ["ftp://h.dom/x;type=x", "bad-typecode", 19],
    ["ftp://h.dom/x;type=aa", "bad-typecode", 19],
    ["ftp://h.dom/x;type=%61", "bad-typecode", 19],
    ["ftp://h.dom/x;type=a;type=i", "reserved", 20],
    ["ftp://h.dom/x;type=a;v=1", "reserved", 20],
    ["ftp://h.dom/dir;type=d/x", "reserved", 15],
    ["ftp://h.dom;type=d", "bad-host", 11],
    ["ftp://h.dom/a\r\nDELE b", "control", 13],
    ["ftp://h.dom/a\\b", "backslash", 13],
    ["ftp://a@b@h.dom/", "at-sign", 7],
    ["ftp:/h.dom/x", "missing-slashes", 4],
    ["ftp://h.dom:99999/x", "port-range", 12],
  ])("ftpSyntax rejects %s with the fault code %s in both modes", (text, code, index) => {
    expect(ftpSyntax.tryParse(text).fault).toMatchObject({ code, index });
    expect(ftpSyntax.tryParse(text, RFC1738_MODE).fault).toMatchObject({ code, index });
    expect(() => parseFtpUrl(text)).toThrow(UrlSyntaxError);
  });

  it("ftpSyntax formats a ? in the user name as %3F", () => {
    const url = parseFtpUrl("ftp://good.dom?@evil.dom/", RFC1738_MODE);
    expect(url.user).toBe("good.dom?");
    expect(url.parserDifferences.map(({ host }) => host)).toEqual(["good.dom", "good.dom"]);
    expect(formatFtpUrl(url)).toBe("ftp://good.dom%3F@evil.dom/");
  });
});

describe("ftpSyntax.build creates a URL from its parts", () => {
  it.each<[FtpUrlBuildParts, string]>([
    [{ host: "h.dom" }, "ftp://h.dom"],
    [{ host: "h.dom", name: "" }, "ftp://h.dom/"],
    [{ host: "h.dom", cwd: ["/etc"], name: "motd", user: "myname" }, "ftp://myname@h.dom/%2Fetc/motd"],
    [{ host: "h.dom", cwd: ["", "a;b"], name: "c d", type: "i" }, "ftp://h.dom//a%3Bb/c%20d;type=i"],
    [{ host: "h.dom", cwd: ["a"] }, "ftp://h.dom/a/"],
    [{ host: "h.dom", type: "d" }, "ftp://h.dom/;type=d"],
    [{ host: "h.dom", user: "a?b", password: "", port: 2121 }, "ftp://a%3Fb:@h.dom:2121"],
    [{ host: "h.dom", name: Uint8Array.of(0xff, 0x00) }, "ftp://h.dom/%FF%00"],
  ])("ftpSyntax.build builds a URL from the parts %o", (parts, text) => {
    expect(buildFtpUrl(parts).href).toBe(text);
  });

  const bytes = fc.uint8Array({ maxLength: 12 });
  const parts = fc.record({
    user: bytes,
    password: fc.option(bytes, { nil: undefined }),
    cwd: fc.array(bytes, { maxLength: 4 }),
    name: bytes,
    type: fc.option(fc.constantFrom<FtpTypecode>("A", "I", "D", "a", "i", "d"), { nil: undefined }),
  });

  it("ftpSyntax.build builds a URL from any bytes, and the URL parses to the same parts", () => {
    fc.assert(
      fc.property(parts, (given) => {
        const url = buildFtpUrl({ ...given, host: "h.dom" });
        expect(parseFtpUrl(url.href, RFC1738_MODE).components()).toEqual(url.components());
        expect(formatFtpUrl(url)).toBe(url.href);
        expect(url.cwd.map(percentDecode)).toEqual(given.cwd);
        expect(percentDecode(url.name ?? "none")).toEqual(given.name);
        expect(percentDecode(url.user ?? "none")).toEqual(given.user);
        expect(url.password === undefined ? undefined : percentDecode(url.password)).toEqual(given.password);
        expect(url.type).toBe(given.type);
      }),
    );
  });
});

describe("ftpSyntax.format is the inverse of ftpSyntax.parse", () => {
  const segment = fc.stringMatching(/^(?:[A-Za-z0-9$_.+!*'(),?:@&=-]|%[0-9A-Fa-f]{2})*$/);
  const login = fc.stringMatching(/^(?:[A-Za-z0-9$_.+!*'(),;&=-]|%[0-9A-Fa-f]{2})*$/);
  const conforming = fc
    .tuple(
      fc.option(login, { nil: undefined }),
      fc.option(login, { nil: undefined }),
      fc.option(fc.array(segment, { minLength: 1 }), { nil: undefined }),
      fc.constantFrom("", ";type=a", ";type=I", ";type=D"),
    )
    .map(([user, password, path, type]) => {
      const secret = password === undefined ? "" : `:${password}`;
      const at = user === undefined ? "" : `${user}${secret}@`;
      return `ftp://${at}h.dom${path ? `/${path.join("/")}${type}` : ""}`;
    });

  it("ftpSyntax.format formats every parsed conforming URL as the same text", () => {
    fc.assert(fc.property(conforming, (text) => formatFtpUrl(parseFtpUrl(text, RFC1738_MODE)) === text));
  });

  it("ftpSyntax.format formats a URL with deviations as a conforming URL with the same parts", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from("ab/;:@?=~é%2F%3Btype.")) }), (tail) => {
        const { url } = ftpSyntax.tryParse(`ftp://h.dom/${tail}`);
        if (!url) return;
        const again = parseFtpUrl(formatFtpUrl(url), RFC1738_MODE);
        expect(again.cwd.map(percentDecode)).toEqual(url.cwd.map(percentDecode));
        expect(percentDecode(again.name ?? "")).toEqual(percentDecode(url.name ?? ""));
        expect(again.type).toBe(url.type);
      }),
    );
  });
});
