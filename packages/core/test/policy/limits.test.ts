import { describe, expect, it } from "vitest";
import {
  DEFAULT_CORE_LIMITS,
  mergeDefaultLimitsOfSchemes,
  createLimitError,
  mergeLimits,
} from "../../src/policy/limits.ts";

describe("mergeLimits", () => {
  it("mergeLimits changes only the named limits", () => {
    const limits = mergeLimits({ maxRedirects: 1, bodyTimeoutMs: 5 });
    expect(limits).toEqual({ ...DEFAULT_CORE_LIMITS, maxRedirects: 1, bodyTimeoutMs: 5 });
    expect(mergeLimits({ maxRedirects: 2 }, limits)).toEqual({ ...limits, maxRedirects: 2 });
    expect(Object.isFrozen(limits)).toBe(true);
    expect(Object.isFrozen(DEFAULT_CORE_LIMITS)).toBe(true);
  });

  it("mergeLimits returns the same limits when no change is given", () => {
    expect(mergeLimits()).toBe(DEFAULT_CORE_LIMITS);
    const base = mergeLimits({ maxRedirects: 1 });
    expect([mergeLimits({}, base), mergeLimits(undefined, base)]).toEqual([base, base]);
    expect(mergeLimits({}, base)).toBe(base);
    expect(mergeLimits({ maxRedirects: undefined }, base)).toBe(base);
    expect(mergeLimits({ maxRedirects: undefined, maxSteps: 2 }, base)).toEqual({ ...base, maxSteps: 2 });
  });

  it.each([
    [{ maxRedirect: 5 }, 'limits has no option "maxRedirect": did you mean "maxRedirects"?'],
    [{ maxRedirects: 0 }, 'limits: the option "maxRedirects" has to be a number above 0, and not 0'],
    [
      { idleTimeoutMs: 2 ** 31 },
      'limits: the option "idleTimeoutMs" has to be a number above 0 and at most 2147483647, or Infinity, and not 2147483648',
    ],
  ])("mergeLimits rejects the limits %j with the message: %s", (changes, message) => {
    expect(() => mergeLimits(changes as Parameters<typeof mergeLimits>[0])).toThrow(new TypeError(message));
  });

  it("mergeLimits accepts times up to the maximum of a timer, and larger numbers for other limits", () => {
    const changes = { idleTimeoutMs: 2 ** 31 - 1, maxStreamBytes: 2 ** 31 };
    expect(mergeLimits(changes)).toMatchObject(changes);
  });

  it("mergeLimits accepts Infinity for every limit", () => {
    for (const name of Object.keys(DEFAULT_CORE_LIMITS))
      expect(mergeLimits({ [name]: Infinity })).toMatchObject({ [name]: Infinity });
  });

  it.each([
    ["zero", { maxRedirects: 0 }],
    ["a negative number", { idleTimeoutMs: -1 }],
    ["the value NaN", { maxRedirects: NaN }],
    ["a string as its value", { maxRedirects: "5" }],
    ["an unknown name", { maxRedirect: 5 }],
    ["the name of a property that every object has", { toString: 5 }],
    ["a duration above the maximum of a timer", { idleTimeoutMs: 2 ** 31 }],
  ])("mergeLimits throws a TypeError for a limit with %s", (_name, changes) => {
    expect(() => mergeLimits(changes as unknown as Parameters<typeof mergeLimits>[0])).toThrow(TypeError);
  });
});

describe("mergeDefaultLimitsOfSchemes combines the limits of core and of schemes", () => {
  const limits = { maxMenuLines: 10, waitTimeoutMs: 50 };

  it("mergeDefaultLimitsOfSchemes adds the limits that schemes declare to the limits of core", () => {
    expect(mergeDefaultLimitsOfSchemes([{ name: "x-menu", limits }, { name: "x-plain" }])).toEqual({
      ...DEFAULT_CORE_LIMITS,
      ...limits,
    });
  });

  it("mergeDefaultLimitsOfSchemes accepts two schemes that declare the same limit with the same default", () => {
    expect(mergeDefaultLimitsOfSchemes(["one", "two"].map((name) => ({ name, limits })))).toMatchObject(
      limits,
    );
  });

  it("the limit name in the advice omits the hyphens and dots of the scheme name", () => {
    const schemes = [
      { name: "one", limits },
      { name: "x-v2.menu", limits: { maxMenuLines: 11 } },
    ];
    expect(() => mergeDefaultLimitsOfSchemes(schemes)).toThrow("as in xV2MenuMaxMenuLines");
  });

  it("a conflict of three schemes names the first scheme that declares the limit", () => {
    const schemes = [
      { name: "one", limits },
      { name: "two", limits },
      { name: "three", limits: { maxMenuLines: 11 } },
    ];
    expect(() => mergeDefaultLimitsOfSchemes(schemes)).toThrow("and the scheme one declares it");
  });

  it.each([
    [
      "the limit of another scheme with another default",
      { maxMenuLines: 11 },
      "the scheme two declares the limit maxMenuLines with the default 11, and the scheme one declares it with the default 10: begin the name of a limit with the name of its scheme, as in twoMaxMenuLines",
    ],
    [
      "a limit of core with another default",
      { maxRedirects: 11 },
      "the scheme two declares the limit maxRedirects with the default 11, and core declares it with the default 5: begin the name of a limit with the name of its scheme, as in twoMaxRedirects",
    ],
    [
      "a limit with the default 0",
      { maxItems: 0 },
      'limits of the scheme two: the option "maxItems" has to be a number above 0, and not 0',
    ],
    [
      "a time that is too long for a timer",
      { endMs: 2 ** 31 },
      'the option "endMs" has to be a number above 0',
    ],
  ])("mergeDefaultLimitsOfSchemes rejects a scheme that declares %s", (_name, declared, message) => {
    const schemes = [
      { name: "one", limits },
      { name: "two", limits: declared },
    ];
    expect(() => mergeDefaultLimitsOfSchemes(schemes)).toThrow(TypeError);
    expect(() => mergeDefaultLimitsOfSchemes(schemes)).toThrow(message);
  });

  it("a caller may change a declared limit, and the client checks the value", () => {
    const base = mergeDefaultLimitsOfSchemes([{ name: "x-menu", limits }]);
    const change = (changes: object): unknown => mergeLimits(changes, base);
    expect(change({ maxMenuLines: 3 })).toMatchObject({ maxMenuLines: 3, waitTimeoutMs: 50 });
    expect(() => change({ waitTimeoutMs: 0 })).toThrow('"waitTimeoutMs" has to be a number above 0');
    expect(() => change({ maxMenuLine: 3 })).toThrow('no option "maxMenuLine": did you mean "maxMenuLines"?');
    expect(() => mergeLimits({ maxMenuLines: 3 } as object)).toThrow('limits has no option "maxMenuLines"');
  });
});

describe("createLimitError", () => {
  it.each([
    ["idleTimeoutMs", "timeout", "the limit idleTimeoutMs is 30000 ms"],
    ["maxRedirects", "limit", "the limit maxRedirects is 5"],
  ] as const)("the error of the limit %s has the code %s and names the limit", (name, code, advice) => {
    const error = createLimitError(name, DEFAULT_CORE_LIMITS, "too much");
    expect(error).toMatchObject({ code, limit: name, advice, reason: "too much" });
    expect(error.message).toBe(`too much (${advice})`);
  });
});
