import { inspect } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGenericSyntax, DEFAULT_MAX_URL_LENGTH, type Syntax } from "../../src/syntax/index.ts";
import { sampleSyntax, type XSampleUrl } from "./sample-syntax.ts";

const seed = 1738;

describe("tryParse", () => {
  const syntaxes: readonly Syntax[] = [sampleSyntax, createGenericSyntax()];

  it("tryParse never throws, and parse throws exactly when tryParse returns a fault", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      fc
        .string({ unit: fc.constantFrom(...Array.from("x-sample:/@%[].é#? ")) })
        .map((rest) => `x-sample://${rest}`),
    );
    fc.assert(
      fc.property(text, fc.constantFrom("rfc1738" as const, "modern" as const), (text, mode) => {
        for (const syntax of syntaxes) {
          const result = syntax.tryParse(text, { mode });
          expect(syntax.canParse(text, { mode })).toBe(result.fault === undefined);
          if (result.fault) {
            expect(result.fault.index).toBeGreaterThanOrEqual(0);
            expect(result.fault.index + result.fault.length).toBeLessThanOrEqual(text.length);
            expect(() => syntax.parse(text, { mode })).toThrow(
              expect.objectContaining({ code: result.fault.code }),
            );
          } else {
            expect(syntax.parse(text, { mode }).href).toBe(
              mode === "modern" ? text.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "") : text,
            );
          }
        }
      }),
      { seed, numRuns: 1000 },
    );
  });

  it.each([DEFAULT_MAX_URL_LENGTH, 20])(
    "tryParse accepts texts up to the maxLength %i, and rejects a text one character longer",
    (maxLength) => {
      const options = maxLength === DEFAULT_MAX_URL_LENGTH ? {} : { maxLength };
      const text = "x-sample://h/".padEnd(maxLength + 1, "a");
      expect(sampleSyntax.tryParse(text.slice(0, -2), options).fault).toBeUndefined();
      expect(sampleSyntax.tryParse(text.slice(0, -1), options).fault).toBeUndefined();
      expect(sampleSyntax.tryParse(text, options).fault).toMatchObject({
        code: "too-long",
        index: maxLength,
        length: 1,
      });
    },
  );

  it("canParse accepts a text of any length when maxLength is Infinity", () => {
    expect(sampleSyntax.canParse(`x-sample://h/${"~a".repeat(100_000)}`, { maxLength: Infinity })).toBe(true);
  });

  it("tryParse rejects a URL of another scheme and suggests the scheme of the syntax", () => {
    const fault = { code: "wrong-scheme", index: 0, length: 3, suggestion: 'write "x-sample"' };
    expect(sampleSyntax.tryParse("ftp://h/").fault).toMatchObject(fault);
  });
});

describe("the scheme name in a parsed URL", () => {
  it.each([
    ["FtP://h", "ftp"],
    ["Z39.50S:", "z39.50s"],
    ["\u212A:", "bad-scheme"],
    ["İ:", "bad-scheme"],
    ["a/b:", "bad-scheme"],
    ["ftp", "missing-scheme"],
    [":", "missing-scheme"],
  ])("the text %j has the scheme or the fault %s", (text, expected) => {
    const { url, fault } = createGenericSyntax().tryParse(text);
    expect(url?.scheme ?? fault?.code).toBe(expected);
  });
});

describe("a URL", () => {
  const text = "X-Sample://u:needle~é@h:1/p~#f";
  const url = sampleSyntax.parse("x-sample://u:needle@h:1/p~#f");

  it("parse converts the scheme to lower case and keeps the other components as written", () => {
    expect(sampleSyntax.parse("X-SAMPLE://H/%7e").scheme).toBe("x-sample");
    expect(sampleSyntax.parse("X-SAMPLE://H/%7e").host).toBe("H");
    expect(sampleSyntax.canParse(text)).toBe(false);
  });

  it.each([
    "scheme",
    "href",
    "user",
    "password",
    "host",
    "port",
    "path",
    "fragment",
    "deviations",
    "effectivePort",
  ])("a program cannot change the property %s of a URL", (name) => {
    const value: unknown = Reflect.get(url, name);
    expect(Reflect.set(url, name, "other")).toBe(false);
    expect(Reflect.get(url, name)).toBe(value);
  });

  it.each([
    [
      "a redefined property href",
      (one: XSampleUrl) => Object.defineProperty(one, "href", { value: "x-sample://evil/" }),
    ],
    [
      "a replaced prototype",
      (one: XSampleUrl) => Object.setPrototypeOf(one, { href: "x-sample://evil/" }) as XSampleUrl,
    ],
  ])("format returns the checked text of a URL with %s", (_, change) => {
    const changed = change(sampleSyntax.parse("x-sample://h/a"));
    expect(changed.href).toBe("x-sample://evil/");
    expect(sampleSyntax.format(changed)).toBe("x-sample://h/a");
  });

  it("canParse throws TypeError for an invalid option, also for a conforming text", () => {
    expect(() => sampleSyntax.canParse("x-sample://h/", { mode: "strict" } as never)).toThrow(TypeError);
    expect(() => sampleSyntax.canParse("x-sample://h/", { length: 1 } as never)).toThrow(TypeError);
    expect(sampleSyntax.canParse("x-sample://u?@h/", { mode: "rfc1738" })).toBe(true);
    expect(sampleSyntax.canParse("x-sample://u?@h/", { mode: "modern" })).toBe(false);
    expect(sampleSyntax.canParse("x-sample://h/", { maxLength: 5 })).toBe(false);
  });

  it("a program cannot change the deviations of a URL", () => {
    expect(url.deviations).toHaveLength(2);
    expect(() => (url.deviations as unknown[]).push(1)).toThrow(TypeError);
    expect(() => Object.assign(url.deviations[0] as object, { code: "x" })).toThrow(TypeError);
    expect(() => (sampleSyntax.parse("x-sample://h").deviations as unknown[]).push(1)).toThrow(TypeError);
  });

  it("href, password and format return the password of a URL, and String, JSON and inspect mask the password", () => {
    const shown = [
      String(url),
      JSON.stringify(url),
      JSON.stringify({ url }),
      JSON.stringify(url.components()),
      inspect(url),
      inspect({ url }, { showHidden: true, depth: Infinity, getters: true }),
      inspect(url, { showHidden: true, depth: Infinity, customInspect: false }),
      JSON.stringify(Object.assign({}, url)),
      JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(url))),
    ];
    for (const one of shown) expect(one).not.toContain("needle");
    expect(String(url)).toBe("x-sample://u:****@h:1/p~#f");
    expect(inspect(url)).toBe("XSampleUrl <x-sample://u:****@h:1/p~#f>");
    expect(url.components()).toMatchObject({ user: "u", password: "****", path: "p~" });
    expect(url.href).toContain("needle");
    expect(sampleSyntax.format(url)).toContain("needle");
    expect(url.password).toBe("needle");
  });

  it.each([
    ["x-sample://u:@h/", "x-sample://u:@h/"],
    ["x-sample://u@h/", "x-sample://u@h/"],
    ["x-sample://:p@h/", "x-sample://:****@h/"],
    ["X-Sample://p:p@p/p:p@p", "X-Sample://p:****@p/p:p@p"],
  ])("String masks the password of %s: %s", (text, shown) =>
    expect(String(sampleSyntax.parse(text))).toBe(shown),
  );
});

describe("format", () => {
  it("format returns every conforming URL unchanged", () => {
    const component = (characters: string): fc.Arbitrary<string> =>
      fc.array(fc.constantFrom(...Array.from(characters), "%2F", "%40", "%fa")).map((all) => all.join(""));
    const login = component("aZ9$-_.+!*'(),;&=");
    const parts = fc.record({
      user: fc.option(login, { nil: undefined }),
      password: fc.option(login, { nil: undefined }),
      host: fc.constantFrom("h", "a.b-c.D", "1.2.3.4", "9.x"),
      port: fc.option(fc.constantFrom("0", "21", "00080", "65535"), { nil: undefined }),
      path: fc.option(component("a/;?:@&=$-_.+!*'(),"), { nil: undefined }),
    });
    fc.assert(
      fc.property(parts, ({ user, password, host, port, path }) => {
        const named = password === undefined ? user : `${user ?? ""}:${password}`;
        const at = named === undefined ? "" : `${named}@`;
        const text = `x-sample://${at}${host}${port === undefined ? "" : `:${port}`}${path === undefined ? "" : `/${path}`}`;
        const url = sampleSyntax.parse(text, { mode: "rfc1738" });
        expect(sampleSyntax.format(url)).toBe(text);
        expect([url.user, url.password, url.host, url.port, url.path]).toEqual([
          password === undefined ? user : (user ?? ""),
          password,
          host,
          port,
          path,
        ]);
      }),
      { seed, numRuns: 500 },
    );
  });
});
