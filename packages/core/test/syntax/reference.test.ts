import { describe, expect, it } from "vitest";
import { createGenericSyntax, type UrlHierarchy } from "../../src/syntax/index.ts";
import { resolveReference } from "../../src/syntax/reference.ts";
import {
  RFC3986_BASE,
  RFC3986_REFERENCE_RESOLUTION_EXAMPLES,
} from "./rfc3986-reference-resolution-examples.ts";

const syntax = createGenericSyntax();

function resolve(base: string, reference: string, hierarchy: UrlHierarchy | undefined): string {
  return resolveReference(syntax.parse(base), hierarchy, reference);
}

describe("resolveReference with the examples of RFC 3986 §5.4", () => {
  const rows: readonly (readonly [reference: string, target: string])[] = [
    ...RFC3986_REFERENCE_RESOLUTION_EXAMPLES,
    // An escaped dot counts as a dot. Dot segments are also removed from a reference with an authority.
    ["%2e%2E/g", "http://a/b/g"],
    [".%2e", "http://a/b/"],
    ["%2e/%2e%2e%2fg", "http://a/b/c/%2e%2e%2fg"],
    ["//g/a/../b", "http://g/b"],
    ["//g?a/../b", "http://g?a/../b"],
  ];
  it.each(rows)("the reference %j resolves to %s", (reference, target) => {
    expect(resolve(RFC3986_BASE, reference, "path-and-search")).toBe(target);
  });
});

describe("resolveReference with bases of other forms", () => {
  const rows: readonly (readonly [
    base: string,
    reference: string,
    hierarchy: UrlHierarchy | undefined,
    target: string,
  ])[] = [
    ["http://a", "g", "path-and-search", "http://a/g"],
    ["http://a", "?y", "path-and-search", "http://a/?y"],
    ["http://a?q/x", "g", "path-and-search", "http://a/g"],
    ["http://a?q", "#f", "path-and-search", "http://a?q#f"],
    ["http://a/b?q/x#f/y", "g", "path-and-search", "http://a/g"],
    ["ftp://u:p@a:9/b/c;type=a", "g", "path", "ftp://u:p@a:9/b/g"],
    // In ftp and file URLs, a "?" belongs to the path.
    ["ftp://a/b?c/d", "g", "path", "ftp://a/b?c/g"],
    ["ftp://a/b/c", "?y", "path", "ftp://a/b/?y"],
    ["ftp://a/b/c", "g?y/../x", "path", "ftp://a/b/x"],
    ["ftp://a//b", "../g", "path", "ftp://a/g"],
    ["ftp://a/%2Fetc/x", "motd", "path", "ftp://a/%2Fetc/motd"],
    // The path of a base without an authority may begin without a slash.
    ["x:a/b", "g", "path-and-search", "x:a/g"],
    ["x:a/b", "../../g", "path-and-search", "x:g"],
    ["x:a/b", "/g", "path-and-search", "x:/g"],
    ["x:a/b", "?y", "path-and-search", "x:a/b?y"],
    ["x:", "?y", "path-and-search", "x:?y"],
    ["file:///a/b", "g", "path", "file:///a/g"],
    ["file:/a/b", "g", "path", "file:/a/g"],
    ["file:/a/b", "/.//evil/x", "path", "file:////evil/x"],
    ["file:///a/b", "/.//evil/x", "path", "file:////evil/x"],
    // White space around a reference is not part of the reference.
    ["http://a/b/c", " g \n", "path-and-search", "http://a/b/g"],
    ["http://a/b/c", "\t ", "path-and-search", "http://a/b/c"],
    ["http://a/b/c", " http://h/ ", "path-and-search", "http://h/"],
    ["http://a/b/c", "g h", "path-and-search", "http://a/b/g h"],
    // References to the URL itself and to its fragments need no hierarchy.
    ["mailto:a@b", "#f", undefined, "mailto:a@b#f"],
    ["mailto:a@b#e", "#f", undefined, "mailto:a@b#f"],
    ["mailto:a@b#e", "", undefined, "mailto:a@b"],
    ["mailto:a@b", "?x", undefined, "?x"],
    // Schemes without a hierarchy have no relative references except the empty one and fragments.
    ["gopher://a/1b", "g", undefined, "g"],
    ["gopher://a/1b", "//g", undefined, "//g"],
    ["gopher://a/1b", "http://h/", undefined, "http://h/"],
  ];
  it.each(rows)(
    "the base %s with the reference %j and the hierarchy %s gives %s",
    (base, reference, hierarchy, target) => {
      expect(resolve(base, reference, hierarchy)).toBe(target);
    },
  );
});
