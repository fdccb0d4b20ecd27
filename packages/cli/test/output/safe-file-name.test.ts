import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getFileNameFromUrl, toSafeFileName, replaceLeadingDot } from "../../src/output/safe-file-name.ts";
import { CommandSchemes } from "../../src/client/command-schemes.ts";

describe("get -O chooses a safe file name", () => {
  const rows: [url: string, name: string | undefined][] = [
    ["ftp://h/pub/file.txt;type=i", "file.txt"],
    ["ftp://h/pub/", undefined],
    ["ftp://h", undefined],
    ["ftp://h/a%2Fb", "b"],
    ["http://h/a/b.html?c=/d", "b.html"],
    ["http://h/", undefined],
    ["http://h", undefined],
    ["http://h/%E6%BC%A2.txt", "漢.txt"],
    ["gopher://h/0/dir/read%20me", "read me"],
    ["gopher://h/1", undefined],
    ["file:///a/b%5C..%5Cc", "c"],
    ["x-any:a/b", "b"],
  ];
  it.each(rows)("getFileNameFromUrl returns the name for %s", async (text, name) => {
    expect(getFileNameFromUrl((await new CommandSchemes().loadSyntaxForUrl(text)).parse(text), "linux")).toBe(
      name,
    );
  });

  const names: [text: string, linux: string | undefined, win32: string | undefined][] = [
    ["../../etc/passwd", "passwd", "passwd"],
    ["..", undefined, undefined],
    [".", undefined, undefined],
    ["-rf", "rf", "rf"],
    ["~root", "root", "root"],
    ["--", undefined, undefined],
    ["a\u0000b\r\n", "a_b__", "a_b__"],
    ["\u202etxt.exe", "_txt.exe", "_txt.exe"],
    ["aux.txt", "_aux.txt", "_aux.txt"],
    ["COM1", "_COM1", "_COM1"],
    ["console", "console", "console"],
    ["a:b?", "a:b?", "a_b_"],
    ["a. .", "a. .", "a"],
    [".profile", ".profile", ".profile"],
  ];
  it.each(names)("toSafeFileName converts the text %j", (text, linux, win32) => {
    expect([toSafeFileName(text, "linux"), toSafeFileName(text, "win32")]).toEqual([linux, win32]);
  });

  it.each([
    [".bashrc", "_bashrc"],
    ["..a", "_.a"],
    ["\u200c.bashrc", "_bashrc"],
    ["a.b", "a.b"],
  ])("replaceLeadingDot converts the name %j to %j", (name, expected) => {
    expect(replaceLeadingDot(name)).toBe(expected);
  });

  it("toSafeFileName always returns a name without a folder", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.constantFrom<NodeJS.Platform>("linux", "win32"),
        (text, platform) => {
          const name = toSafeFileName(text, platform);
          if (name === undefined) return;
          expect(name).toMatch(/^[^-~/\\\p{Cc}][^/\\\p{Cc}]*$/u);
          expect(["", ".", ".."]).not.toContain(name);
        },
      ),
    );
  });
});
