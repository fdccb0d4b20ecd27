import { describe, expect, it } from "vitest";
import { matchesWildmat } from "../../src/news/servers.ts";

// RFC 3977 §4.4, and the patterns of §4.2
describe("matchesWildmat matches wildmats of RFC 3977", () => {
  it.each([
    ["a*,!*b,*c*", "abc", true],
    ["a*,!*b,*c*", "aaa", true],
    ["a*,!*b,*c*", "aab", false],
    ["a*,!*b,*c*", "ccb", true],
    ["a*,!*b,*c*", "xxx", false],
    ["*", "comp.lang.c", true],
    ["*", "", true],
    ["comp.*", "comp.lang.c", true],
    ["comp.*", "comp", false],
    ["comp.*", "alt.comp.x", false],
    ["comp.lang.?", "comp.lang.c", true],
    ["comp.lang.?", "comp.lang.cc", false],
    ["comp.lang.c++", "comp.lang.c++", true],
    ["comp.lang.c.*", "compxlangxcxx", false],
    ["*.test", "a.b.test", true],
    ["*a*b*c*", "xaxbxcx", true],
    ["*a*b*c*", "xaxcxbx", false],
    ["comp.*, !comp.binaries.*", "comp.binaries.x", false],
    ["!comp.*", "alt.x", false],
    ["", "a", false],
  ])("matchesWildmat for the wildmat %s and the name %s returns %s", (wildmat, name, fits) => {
    expect(matchesWildmat(name, wildmat)).toBe(fits);
  });

  it("matchesWildmat matches a malicious wildmat without exponential time", () => {
    expect(matchesWildmat("a".repeat(5000), `${"*a".repeat(500)}*b`)).toBe(false);
  });
});
