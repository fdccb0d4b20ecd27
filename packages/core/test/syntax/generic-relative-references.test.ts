import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { createGenericSyntax } from "../../src/syntax/index.ts";
import {
  RFC3986_BASE,
  RFC3986_REFERENCE_RESOLUTION_EXAMPLES,
} from "./rfc3986-reference-resolution-examples.ts";
import { createPathLineScheme } from "../client/test-schemes.ts";

const syntax = createGenericSyntax({ schemes: ["x-tree"], defaultPort: 7, hierarchy: true });
const flatSyntax = createGenericSyntax({ schemes: ["x-flat"] });
const client = createClient({
  schemes: [
    { ...createPathLineScheme("x-tree"), syntax },
    { ...createPathLineScheme("x-flat"), syntax: flatSyntax },
  ],
});

function resolve(base: string, reference: string): string {
  return client.resolve(client.parse(base), reference).href;
}

describe("client.resolve with the examples of RFC 3986 §5.4 in a plug-in scheme", () => {
  it.each([
    // §5.4.1 normal examples
    ["x-flat:h", "x-flat:h"],
    ["g", "x-tree://a/b/c/g"],
    ["./g", "x-tree://a/b/c/g"],
    ["g/", "x-tree://a/b/c/g/"],
    ["/g", "x-tree://a/g"],
    ["//g", "x-tree://g"],
    ["?y", "x-tree://a/b/c/d;p?y"],
    ["g?y", "x-tree://a/b/c/g?y"],
    ["#s", "x-tree://a/b/c/d;p?q#s"],
    ["g#s", "x-tree://a/b/c/g#s"],
    ["g?y#s", "x-tree://a/b/c/g?y#s"],
    [";x", "x-tree://a/b/c/;x"],
    ["g;x", "x-tree://a/b/c/g;x"],
    ["g;x?y#s", "x-tree://a/b/c/g;x?y#s"],
    ["", "x-tree://a/b/c/d;p?q"],
    [".", "x-tree://a/b/c/"],
    ["./", "x-tree://a/b/c/"],
    ["..", "x-tree://a/b/"],
    ["../", "x-tree://a/b/"],
    ["../g", "x-tree://a/b/g"],
    ["../..", "x-tree://a/"],
    ["../../", "x-tree://a/"],
    ["../../g", "x-tree://a/g"],
    // §5.4.2 abnormal examples
    ["../../../g", "x-tree://a/g"],
    ["../../../../g", "x-tree://a/g"],
    ["/./g", "x-tree://a/g"],
    ["/../g", "x-tree://a/g"],
    ["g.", "x-tree://a/b/c/g."],
    [".g", "x-tree://a/b/c/.g"],
    ["g..", "x-tree://a/b/c/g.."],
    ["..g", "x-tree://a/b/c/..g"],
    ["./../g", "x-tree://a/b/g"],
    ["./g/.", "x-tree://a/b/c/g/"],
    ["g/./h", "x-tree://a/b/c/g/h"],
    ["g/../h", "x-tree://a/b/c/h"],
    ["g;x=1/./y", "x-tree://a/b/c/g;x=1/y"],
    ["g;x=1/../y", "x-tree://a/b/c/y"],
    ["g?y/./x", "x-tree://a/b/c/g?y/./x"],
    ["g?y/../x", "x-tree://a/b/c/g?y/../x"],
    ["g#s/./x", "x-tree://a/b/c/g#s/./x"],
    ["g#s/../x", "x-tree://a/b/c/g#s/../x"],
    ["x-tree:g", "x-tree:g"],
  ])("the reference %j resolves to %s", (reference, target) => {
    expect(resolve("x-tree://a/b/c/d;p?q", reference)).toBe(target);
  });
});

describe("client.resolve with a base of an unregistered scheme", () => {
  const base = RFC3986_BASE.replace("http:", "foo:");
  it.each(RFC3986_REFERENCE_RESOLUTION_EXAMPLES.filter(([reference]) => reference !== "http:g"))(
    "the reference %j of RFC 3986 §5.4 resolves to %s with the scheme foo",
    (reference, target) => {
      expect(resolve(base, reference)).toBe(target.replace("http:", "foo:"));
    },
  );

  it.each([
    ["foo:/a/b", "c", "foo:/a/c"],
    ["foo:/a/b", "../../c?q", "foo:/c?q"],
    ["foo:/a/b", "/.//evil/c", "foo:////evil/c"],
    ["foo:/a/b", "//h/c", "foo://h/c"],
    ["foo://h", "c", "foo://h/c"],
    ["foo:///a/b", "../c", "foo:///c"],
    ["foo://u:p@h:7/a?b/c", "d", "foo://u:p@h:7/d"],
    ["FOO://h/a", "b", "foo://h/b"],
    ["foo://h/a#f", "?q", "foo://h/a?q"],
    ["foo:a/b", "#s", "foo:a/b#s"],
  ])("the base %s and the reference %s give %s", (from, reference, target) => {
    expect(resolve(from, reference)).toBe(target);
  });

  it.each([
    ["foo:a/b", "c"],
    ["urn:isbn:1", "../c"],
    ["x-flat://h/a", "b"],
  ])("the base %s has no hierarchy, so client.resolve rejects the reference %s", (from, reference) => {
    expect(() => resolve(from, reference)).toThrow(expect.objectContaining({ code: "missing-scheme" }));
  });
});

describe("client.resolve in a plug-in scheme with a hierarchy", () => {
  it.each([
    ["x-tree://[::1]:9/a/b", "../c", "x-tree://[::1]:9/c"],
    ["x-tree://a_b./c", "//bücher.example/d", "x-tree://bücher.example/d"],
    ["x-tree://u:p@h/a?q", "b", "x-tree://u:p@h/b"],
    ["x-tree://h", "?y", "x-tree://h/?y"],
    ["x-tree:///a/b", "/c", "x-tree:///c"],
    ["x-tree:///a/b", "/.//evil/c", "x-tree:////evil/c"],
    // RFC 3986 §5.2.3 adds no "/" to the path of a base without an authority.
    ["x-tree:a/b", "c", "x-tree:a/c"],
    ["x-tree:a/b", "?y", "x-tree:a/b?y"],
    ["x-tree:a", "../c", "x-tree:c"],
    ["x-tree:/a/b", "../c", "x-tree:/c"],
    ["x-tree:", "?y", "x-tree:?y"],
    ["x-tree:a/b", "..//evil/c", "x-tree:/evil/c"],
  ])("the base %s and the reference %j give %s", (base, reference, target) => {
    expect(resolve(base, reference)).toBe(target);
  });

  it.each([
    ["x-tree://h/a", "//good?@evil/", "login-question-mark"],
    ["x-tree://h/a", "//127.1/", "bad-host-number"],
    ["x-tree://h/a", "\\\\evil/", "backslash"],
    ["x-flat://h/a", "b", "missing-scheme"],
  ])(
    "with the base %s, client.resolve rejects the reference %s with the fault %s",
    (base, reference, code) => {
      expect(() => resolve(base, reference)).toThrow(expect.objectContaining({ code }));
    },
  );
});

describe("the components of a plug-in scheme with a hierarchy", () => {
  it.each([
    ["x-tree://h", "h", undefined, undefined],
    ["x-tree://h/", "h", "", undefined],
    ["x-tree://h/a/b?c?d#e", "h", "a/b", "c?d"],
    ["x-tree://h/?", "h", "", ""],
    ["x-tree://h?q", "h", undefined, "q"],
    ["x-tree://h/a/../b", "h", "a/../b", undefined],
    ["x-tree:///a?b", "", "a", "b"],
    ["x-tree:a?b", "", undefined, undefined],
  ])("the URL %s has the host %j, the path %j and the search %j", (text, host, urlPath, search) => {
    const url = syntax.parse(text);
    expect([url.host, url.urlPath, url.search]).toEqual([host, urlPath, search]);
    if (url.hasAuthority) expect(url.components()).toMatchObject({ host, urlPath, search });
  });

  it("the mode rfc1738 finds the search of a URL whose login has a question mark", () => {
    const url = syntax.parse("x-tree://a?b@h/c?d", { mode: "rfc1738" });
    expect([url.user, url.host, url.urlPath, url.search]).toEqual(["a?b", "h", "c", "d"]);
    expect(syntax.format(url)).toBe("x-tree://a%3Fb@h/c?d");
  });

  it("url.search is undefined for a scheme without relative references", () => {
    const url = flatSyntax.parse("x-flat://h/a?b");
    expect([url.urlPath, url.search, "search" in url.components()]).toEqual(["a?b", undefined, false]);
  });

  it.each([
    ["x-tree://h?a\\b", "x-tree://h/?a%5Cb", "x-tree://h/?a%5Cb"],
    ["x-tree://H:7/~?[]", "x-tree://H:7/%7E?%5B%5D", "x-tree://h/%7E?%5B%5D"],
    ["x-tree://H/%3F%61?%61", "x-tree://H/%3F%61?%61", "x-tree://h/%3Fa?a"],
    ["x-tree://h/a/../b", "x-tree://h/a/../b", "x-tree://h/a/../b"],
  ])("format writes %s as %s, and the normal form is %s", (text, formatted, normal) => {
    const url = syntax.parse(text);
    expect(syntax.format(url)).toBe(formatted);
    expect(syntax.normalize(url)).toBe(normal);
  });

  it("format and normalize return an equivalent URL with the same components for any URL", () => {
    const piece = fc.constantFrom(
      ...Array.from("aZ1/:@?+.~[é\\"),
      ..."// h_ [::1] xn--bcher-kva :7 %61 %2f %3F .. # bü.de".split(" "),
    );
    const texts = fc.array(piece, { maxLength: 9 }).map((pieces) => `x-tree:${pieces.join("")}`);
    fc.assert(
      fc.property(
        fc.oneof(
          texts,
          texts.map((text) => text.replace(":", "://h")),
        ),
        (text) => {
          const { url } = syntax.tryParse(text);
          fc.pre(url !== undefined);
          expect(url.parserDifferences).toEqual([]);
          const formatted = syntax.parse(syntax.format(url));
          const normal = syntax.parse(syntax.normalize(url));
          for (const other of [formatted, normal]) {
            expect(client.equal(url, other)).toBe(true);
            expect([other.effectiveHost, other.effectivePort]).toEqual([
              url.effectiveHost,
              url.effectivePort,
            ]);
            expect([other.hasAuthority, other.search === undefined]).toEqual([
              url.hasAuthority,
              url.search === undefined,
            ]);
          }
          expect(normal.href).toBe(syntax.normalize(normal));
        },
      ),
      { seed: 3986, numRuns: 1000 },
    );
  });
});
