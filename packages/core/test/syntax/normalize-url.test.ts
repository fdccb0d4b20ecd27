import { describe, expect, it } from "vitest";
import {
  defineSyntax,
  type SyntaxDefinition,
  createGenericSyntax,
  type Syntax,
} from "../../src/syntax/index.ts";
import {
  xSampleSyntaxDefinition,
  type XSampleUrlParts,
  sampleSyntax,
  type XSampleUrl,
} from "./sample-syntax.ts";

/** Returns the normal form of a URL under the sample grammar with the given changes. */
function normalizeSample(
  text: string,
  changes: Partial<SyntaxDefinition<XSampleUrl, XSampleUrlParts>> = {},
): string {
  const syntax = defineSyntax({ ...xSampleSyntaxDefinition, ...changes });
  return syntax.normalize(syntax.parse(text));
}

describe("normalize", () => {
  it.each([
    ["the scheme to lower case", "X-Sample://h", "x-sample://h"],
    ["the host to lower case", "x-sample://H.Example/A", "x-sample://h.example/A"],
    ["the digits of escapes to upper case", "x-sample://h/%c3%2f%7e", "x-sample://h/%C3%2F%7E"],
    [
      "escapes of unreserved characters to the characters",
      "x-sample://%61:%62@h/%24%2d%5F%2E%2B%21%2A%27%28%29%2C",
      "x-sample://a:b@h/$-_.+!*'(),",
    ],
    [
      "no escape of a reserved, unsafe or control byte",
      "x-sample://h/%00%20%22%23%25%3B%3F%5C%7E%7F%80",
      "x-sample://h/%00%20%22%23%25%3B%3F%5C%7E%7F%80",
    ],
    ["no escape that decodes to another escape", "x-sample://h/%2541%2525", "x-sample://h/%2541%2525"],
    ["the default port to no port", "x-sample://h:0007/", "x-sample://h/"],
    ["a port with leading zeros to the form without leading zeros", "x-sample://h:0070/", "x-sample://h:70/"],
    ["port 000 to port 0", "x-sample://h:000/", "x-sample://h:0/"],
    [
      "no dot segment, because dot segments are names in the sample scheme",
      "x-sample://h/a/../%2e/b",
      "x-sample://h/a/.././b",
    ],
    ["no empty login", "x-sample://:@h/", "x-sample://:@h/"],
    ["deviations from RFC 1738 to conforming text", "x-sample://H.:/~é?#f", "x-sample://h./%7E%C3%A9?"],
    ["an IPv6 address to the form of RFC 5952", "x-sample://[0:0:0:0::FF]:7/", "x-sample://[::ff]/"],
    [
      "a non-ASCII host name to its A-label form",
      "x-sample://BÜCHER.Example/",
      "x-sample://xn--bcher-kva.example/",
    ],
  ])("normalize changes %s: %s", (_, text, normal) => {
    expect(normalizeSample(text)).toBe(normal);
    expect(normalizeSample(normal)).toBe(normal);
  });

  it("normalize replaces an empty path by the emptyPathEquivalent of the grammar", () => {
    expect(normalizeSample("x-sample://h")).toBe("x-sample://h");
    for (const text of ["x-sample://h", "x-sample://h/", "x-sample://h:7", "x-sample://h/1"]) {
      expect(normalizeSample(text, { emptyPathEquivalent: "1" })).toBe("x-sample://h/1");
    }
    expect(normalizeSample("x-sample://h", { emptyPathEquivalent: "" })).toBe("x-sample://h/");
    expect(normalizeSample("x-sample://h//", { emptyPathEquivalent: "1" })).toBe("x-sample://h//");
  });

  it("normalize omits a host that equals the emptyHostEquivalent of the grammar", () => {
    expect(normalizeSample("x-sample://LocalHost/a", { emptyHostEquivalent: "localhost" })).toBe(
      "x-sample:///a",
    );
    expect(normalizeSample("x-sample://LocalHost/a")).toBe("x-sample://localhost/a");
    expect(normalizeSample("x-sample://localhost.example/a", { emptyHostEquivalent: "localhost" })).toBe(
      "x-sample://localhost.example/a",
    );
  });

  const generic: Syntax = createGenericSyntax();
  const named: Syntax = createGenericSyntax({ schemes: ["x-any"], defaultPort: 7 });
  it.each([
    [
      "a URL of an unknown scheme, but not its port",
      generic,
      "X-Any://U%73er@H:007/%61",
      "x-any://User@h:007/a",
    ],
    ["a URL of a registered generic scheme, including its port", named, "X-Any://H:007", "x-any://h"],
    ["the escapes of an opaque scheme-specific part", generic, "x-any:%61/%2f/..%3B", "x-any:a/%2F/..%3B"],
    ["a host with an underscore to lower case", generic, "x-any://A_B:007/%61", "x-any://a_b:007/a"],
  ])("normalize of the generic syntax changes %s", (_, syntax, text, normal) => {
    const url = syntax.parse(text);
    expect(syntax.normalize(url)).toBe(normal);
    expect(syntax.normalize(syntax.parse(normal))).toBe(normal);
  });

  it.each([
    ["x-any://A_B:007/%61", "x-any://A_B:007/a"],
    // The text would have a host if its escapes were decoded.
    ["x-any://%68/%61%2f", "x-any://%68/%61%2F"],
  ])("normalize keeps the opaque part of %s, parsed in the mode rfc1738, without a host", (text, normal) => {
    const url = generic.parse(text, { mode: "rfc1738" });
    expect(generic.normalize(url)).toBe(normal);
    expect(generic.normalize(generic.parse(normal, { mode: "rfc1738" }))).toBe(normal);
  });

  it("normalize includes the password, as format does", () => {
    expect(sampleSyntax.normalize(sampleSyntax.parse("x-sample://u:p%61ss@h/"))).toBe("x-sample://u:pass@h/");
  });

  it("normalize of a long path takes linear time", () => {
    const normal = normalizeSample(`x-sample://u@h/${"%61%2f".repeat(10_000)}`);
    expect(normal).toBe(`x-sample://u@h/${"a%2F".repeat(10_000)}`);
  });
});
