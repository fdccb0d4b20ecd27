import { percentDecode } from "@anyscheme/core/syntax";
import { fileSyntax } from "@anyscheme/scheme-others/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

// RFC 1738 §3.10, §5: fileurl = "file://" [ host | "localhost" ] "/" fpath
const conformingFileUrls: [text: string, host: string, segments: string[]][] = [
  [
    "file://vms.host.edu/disk$user/my/notes/note12345.txt",
    "vms.host.edu",
    ["disk$user", "my", "notes", "note12345.txt"],
  ],
  ["file:///etc/motd", "", ["etc", "motd"]],
  ["file://localhost/etc/motd", "localhost", ["etc", "motd"]],
  ["file://LOCALHOST/x", "LOCALHOST", ["x"]],
  ["file://10.0.0.1/x", "10.0.0.1", ["x"]],
  ["file:///", "", [""]],
  ["file:////x", "", ["", "x"]],
  ["file:///a/", "", ["a", ""]],
  ["file:///a%2Fb", "", ["a%2Fb"]],
  ["file:///a/../b", "", ["a", "..", "b"]],
  ["file:///what?is:this@it&more=1", "", ["what?is:this@it&more=1"]],
];

const rejectedFileUrls: [text: string, code: string, index: number][] = [
  ["file://host", "missing-slash", 11],
  ["file://", "missing-slash", 7],
  ["file:etc/motd", "missing-slashes", 5],
  ["file://bob@host/x", "login-not-allowed", 7],
  ["file://host:21/x", "port-not-allowed", 11],
  ["file://:21/x", "empty-host", 7],
  ["file:///a\\b", "backslash", 9],
  ["file://127.1/x", "bad-host-number", 7],
];

const toleratedFileUrls: [text: string, codes: string[], written: string][] = [
  ["file:///a b", ["space"], "file:///a%20b"],
  ["file:///%zz", ["bad-escape"], "file:///%25zz"],
  ["file:/etc/motd", ["single-slash"], "file:///etc/motd"],
  ["file:///note.txt;1", ["reserved"], "file:///note.txt%3B1"],
  ["file:///~bob/{x}", ["unsafe", "unsafe", "unsafe"], "file:///%7Ebob/%7Bx%7D"],
  ["file:///été", ["non-ascii", "non-ascii"], "file:///%C3%A9t%C3%A9"],
  ["file:///a#b", ["fragment"], "file:///a"],
];

describe("the syntax of file URLs", () => {
  it.each(conformingFileUrls)("the parser parses the file URL %s", (text, host, segments) => {
    const url = fileSyntax.parse(text, { mode: "rfc1738" });
    expect([url.host, url.segments]).toEqual([host, segments]);
    expect(fileSyntax.format(url)).toBe(text);
  });

  it.each(rejectedFileUrls)("the parser rejects the text %j with the fault %s", (text, code, index) => {
    for (const mode of ["rfc1738", "modern"] as const) {
      expect(fileSyntax.tryParse(text, { mode }).fault).toMatchObject({ code, index });
    }
  });

  it.each(toleratedFileUrls)(
    "the parser accepts %s with deviations in modern mode",
    (text, codes, written) => {
      const url = fileSyntax.parse(text);
      expect(url.deviations.map(({ code }) => code)).toEqual(codes);
      expect(fileSyntax.format(url)).toBe(written);
      expect(fileSyntax.tryParse(text, { mode: "rfc1738" }).fault?.code).toBe(codes[0]);
    },
  );

  it.each<[text: string, resolved: string[]]>([
    ["file:///a/b", ["a", "b"]],
    ["file:///a/../b", ["b"]],
    ["file:///a/./b/.", ["a", "b", ""]],
    ["file:///a/b/..", ["a", ""]],
    ["file:///a/b/../c/../../d/", ["d", ""]],
    ["file:///..", [""]],
    ["file:///../../x", ["x"]],
    ["file:///%2e%2E/x", ["x"]],
    ["file:///a/.%2e/x", ["x"]],
    ["file:///a/%2e/x", ["a", "x"]],
    ["file:///a/.../x", ["a", "...", "x"]],
    ["file:///a//../x", ["a", "x"]],
    ["file:///.//x", ["", "x"]],
    ["file:/a/../x", ["x"]],
    ["file://localhost/a/../x", ["x"]],
    ["file:///a/../x#/../y", ["x"]],
    // RFC 3986 ends the path at the "?".
    ["file:///a?b/../c", ["a?b", "..", "c"]],
    ["file:///a/../b?/../c", ["b?", "..", "c"]],
    // A drive is a root (RFC 8089 Appendix E.2).
    ["file:///C:/../x", ["C:", "x"]],
    ["file:///c|/../..", ["c|", ""]],
    ["file:///a/C:/../x", ["a", "x"]],
    ["file:///CC:/../x", ["x"]],
  ])("the parser removes the dot segments of %s", (text, resolved) => {
    expect(fileSyntax.parse(text).resolvedSegments).toEqual(resolved);
    const normal = fileSyntax.parse(fileSyntax.normalize(fileSyntax.parse(text)));
    expect(normal.resolvedSegments.map(percentDecode)).toEqual(resolved.map(percentDecode));
  });

  it("the parser keeps dot segments in the mode rfc1738", () => {
    const url = fileSyntax.parse("file:///a/../%2e/b", { mode: "rfc1738" });
    expect(url.resolvedSegments).toEqual(["a", "..", "%2e", "b"]);
    expect(fileSyntax.normalize(url)).toBe("file:///a/.././b");
  });

  it("the parser reports that RFC 8089 allows a file URL without '//'", () => {
    expect(fileSyntax.parse("file:/x").deviations[0]?.allowedByRfc).toBe("RFC 8089 §2");
  });

  it("the parser builds a file URL from any names, and parses the same names", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { minLength: 1, maxLength: 5 }), (segments) => {
        const url = fileSyntax.build({ segments });
        expect(url.segments.map(percentDecode)).toEqual(segments);
        expect(fileSyntax.parse(fileSyntax.format(url), { mode: "rfc1738" }).segments).toEqual(url.segments);
      }),
    );
    expect(fileSyntax.build({ host: "vms.host.edu", segments: ["a/b", "c;d"] }).href).toBe(
      "file://vms.host.edu/a%2Fb/c%3Bd",
    );
  });

  it("the parser throws TypeError for a change of a parsed file URL", () => {
    const url = fileSyntax.parse("file:///a/b");
    expect(() => (url.segments as string[]).push("c")).toThrow(TypeError);
    expect(() => Object.assign(url, { host: "elsewhere" })).toThrow(TypeError);
  });
});
