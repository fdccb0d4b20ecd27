import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { type EqualityLevel, type Url, UrlSyntaxError } from "../../src/syntax/index.ts";
import { createPathLineScheme, createSocketlessScheme } from "./test-schemes.ts";

const made = createSocketlessScheme(() => Promise.reject(new Error("so it is")));
const client = createClient({ schemes: [createPathLineScheme("x-line"), made] });

describe("client.equal", () => {
  const rows: [one: string, other: string, level: EqualityLevel, equal: boolean][] = [
    ["x-line://h:1/a", "x-line://h:1/a", "identical", true],
    ["x-line://h:1/a", "x-line://h:1/a#b", "identical", false],
    ["x-line://h:1/a", "X-Line://h:1/a", "identical", false],
    ["x-line://h:1/a", "X-Line://H:1/%61#b", "equivalent", true],
    ["x-line://h:1/a:", "x-line://h:1/a%3A", "equivalent", false],
    ["x-line:a", "x-made:a", "equivalent", false],
    ["x-line://h:1/a:", "x-line://H:01/%61%3A", "same-plan", true],
    ["x-line://h:1/a", "x-line://h:1/b", "same-plan", false],
    ["x-line://h:1/a", "x-line://h:2/a", "same-plan", false],
    ["x-line://h:1/a", "x-line://i:1/a", "same-plan", false],
    // A name needs a look-up and an address does not, so the plans differ in length.
    ["x-line://h:1/a", "x-line://10.0.0.1:1/a", "same-plan", false],
    // The plans of the URLs `x-made:a` and `x-made:%61` send nothing.
    ["x-made:a", "x-made:%61", "same-plan", true],
    ["x-made:a", "x-made:b", "same-plan", false],
    ["x-made:a", "x-line://h:1/a", "same-plan", false],
  ];
  it.each(rows)("client.equal compares %s with %s at the level %s: %s", (one, other, level, equal) => {
    expect(client.equal(one, other, level)).toBe(equal);
    expect(client.equal(other, one, level)).toBe(equal);
    expect(client.equal(client.parse(one), client.parse(other), level)).toBe(equal);
  });

  it("client.equal uses the level equivalent by default", () => {
    expect(client.equal("x-line://h/%61", "x-line://H/a")).toBe(true);
    expect(client.equal("x-line://h/%3A", "x-line://h/:")).toBe(false);
  });

  it("client.equal parses texts in the client's mode and keeps URLs that are already parsed", () => {
    const strict = createClient({ schemes: [made], mode: "rfc1738", limits: { maxUrlLength: 20 } });
    expect(() => strict.equal("x-made:~", "x-made:~")).toThrow(UrlSyntaxError);
    const long = client.parse(`x-made:${"~".repeat(20)}`);
    expect(strict.equal(long, long)).toBe(true);
  });

  it("client.equal parses the URL of another client with its own syntaxes", () => {
    const { syntax } = made;
    const parsed: string[] = [];
    const own = createClient({
      schemes: [
        {
          ...made,
          syntax: { ...syntax, tryParse: (text, how) => (parsed.push(text), syntax.tryParse(text, how)) },
        },
      ],
    });
    const foreign: Url = createClient({ schemes: [] }).parse("x-made://h/a");
    expect(own.equal(foreign, foreign)).toBe(true);
    expect(parsed).toEqual([foreign.href, foreign.href]);
  });

  it.each([
    ["a text that is no URL", "x-line", "equivalent", { code: "missing-scheme" }],
    ["a URL with a control byte", "x-line://h:1/%0A", "same-plan", { code: "refused-characters" }],
    ["a URL of a scheme without an access method", "x-else:a", "same-plan", { code: "unknown-scheme" }],
  ] as const)("client.equal throws for %s", (_, text, level, failure) => {
    for (const [one, other] of [
      ["x-line://h:1/", text],
      [text, "x-line://h:1/"],
    ] as const) {
      expect(() => client.equal(one, other, level)).toThrow(expect.objectContaining(failure) as Error);
    }
  });
});
