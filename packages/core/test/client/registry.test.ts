import { describe, expect, it } from "vitest";
import { createRegistry } from "../../src/client/registry.ts";
import { createGenericSyntax } from "../../src/syntax/index.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createPathLineScheme } from "./test-schemes.ts";

describe("createRegistry", () => {
  it("the registry finds a scheme by its name in any case", () => {
    const scheme = createPathLineScheme("x-line");
    const registry = createRegistry([scheme, createPathLineScheme("x-other")]);
    expect(registry.names).toEqual(["x-line", "x-other"]);
    expect(registry.requireScheme("X-Line")).toBe(scheme);
    expect(registry.getSyntax("X-LINE")).toBe(scheme.syntax);
  });

  it("createRegistry stores scheme names in lower case", () => {
    const registry = createRegistry([{ ...createPathLineScheme("x-line"), name: "X-Line" }]);
    expect(registry.names).toEqual(["x-line"]);
    expect(registry.requireScheme("x-line").name).toBe("X-Line");
  });

  it("the registry returns the generic syntax for an unregistered scheme", () => {
    const url = createRegistry([]).getSyntax("x-any").parse("x-any://h/a");
    expect(url.components()).toMatchObject({ host: "h", urlPath: "a" });
  });

  it.each([
    [
      "a scheme that is listed twice",
      [createPathLineScheme("x-line"), createPathLineScheme("x-line")],
      "x-line is registered twice",
    ],
    [
      "a scheme that is listed twice, in another case",
      [createPathLineScheme("x-line"), { ...createPathLineScheme("x-line"), name: "X-LINE" }],
      "registered twice",
    ],
    [
      "a scheme without a name",
      [{ ...createPathLineScheme("x-line"), name: "" }],
      "is not a valid scheme name",
    ],
    [
      "a scheme name with a colon",
      [{ ...createPathLineScheme("x-line"), name: "x-line:" }],
      "is not a valid scheme name",
    ],
    [
      "a scheme name with a blank",
      [{ ...createPathLineScheme("x-line"), name: "x line" }],
      "is not a valid scheme name",
    ],
    [
      "a scheme name with a letter beyond US-ASCII",
      [{ ...createPathLineScheme("x-line"), name: "x-linié" }],
      "is not a valid scheme name",
    ],
    [
      "a scheme whose syntax parses only URLs of another scheme",
      [{ ...createPathLineScheme("x-line"), name: "x-else" }],
      "does not parse URLs that begin with x-else:",
    ],
    [
      "a scheme whose syntax parses URLs of every scheme",
      [{ ...createPathLineScheme("x-line"), syntax: createGenericSyntax<"x-line">() }],
      "does not parse URLs that begin with x-line:",
    ],
  ])("createRegistry throws for %s", (_name, schemes, message) => {
    expect(() => createRegistry(schemes)).toThrow(TypeError);
    expect(() => createRegistry(schemes)).toThrow(message);
  });

  it("createRegistry accepts scheme names with digits, reserved by RFC 1738 or not", () => {
    expect(createRegistry([createPathLineScheme("z39.50"), createPathLineScheme("9p")]).names).toEqual([
      "z39.50",
      "9p",
    ]);
  });
});

describe("the error unknown-scheme", () => {
  it.each([
    ["ftp", "install @anyscheme/scheme-ftp and register ftp()"],
    ["HTTP", "install @anyscheme/scheme-http and register http()"],
    ["https", "install @anyscheme/scheme-http and register https()"],
    ["gopher", "install @anyscheme/scheme-gopher and register gopher()"],
    ["file", "install @anyscheme/scheme-others and register file()"],
    ["prospero", "install @anyscheme/scheme-others and register prospero()"],
    ["snews", "install @anyscheme/scheme-others and register snews()"],
    ["nntps", "install @anyscheme/scheme-others and register nntps()"],
    ["x-any", "you can register your own scheme with this name"],
    ["afs", "RFC 1738 §4 reserves the name"],
    ["z39.50", "RFC 1738 §4 reserves the name"],
    ["mailserver", "RFC 1738 §4 reserves the name"],
    ["constructor", "you can register your own scheme with this name"],
  ])("the error for the unknown scheme %s has the advice: %s", async (name, advice) => {
    const some = await catchAccessError(() =>
      createRegistry([createPathLineScheme("x-a"), createPathLineScheme("x-b")]).requireScheme(name),
    );
    expect(some).toMatchObject({
      code: "unknown-scheme",
      reason: `the scheme ${name.toLowerCase()} is not registered`,
    });
    expect(some.advice).toContain("registered: x-a, x-b; ");
    expect(some.advice).toContain(advice);
    const none = await catchAccessError(() => createRegistry([]).requireScheme(name));
    expect(none.advice).toContain("no scheme is registered; ");
  });
});
