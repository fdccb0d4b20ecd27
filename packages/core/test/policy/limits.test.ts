import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, limitError, mergeLimits } from "../../src/policy/limits.ts";

describe("mergeLimits", () => {
  it("changes the named limits only", () => {
    const limits = mergeLimits({ maxRedirects: 1, bodyTimeoutMs: 5 });
    expect(limits).toEqual({ ...DEFAULT_LIMITS, maxRedirects: 1, bodyTimeoutMs: 5 });
    expect(mergeLimits({ maxRedirects: 2 }, limits)).toEqual({ ...limits, maxRedirects: 2 });
    expect(Object.isFrozen(limits)).toBe(true);
    expect(Object.isFrozen(DEFAULT_LIMITS)).toBe(true);
  });

  it("changes nothing without a change", () => {
    expect(mergeLimits()).toBe(DEFAULT_LIMITS);
    const base = mergeLimits({ maxRedirects: 1 });
    expect([mergeLimits({}, base), mergeLimits(undefined, base)]).toEqual([base, base]);
    expect(mergeLimits({}, base)).toBe(base);
  });

  it.each([
    [{ maxRedirect: 5 }, 'limits has no option "maxRedirect": did you mean "maxRedirects"?'],
    [{ maxRedirects: 0 }, 'limits: the option "maxRedirects" has to be a number above 0, and not 0'],
    [
      { idleTimeoutMs: 2 ** 31 },
      'limits: the option "idleTimeoutMs" has to be a number above 0 and at most 2147483647, or Infinity, and not 2147483648',
    ],
  ])("says of %j: %s", (changes, message) => {
    expect(() => mergeLimits(changes as Parameters<typeof mergeLimits>[0])).toThrow(new TypeError(message));
  });

  it("takes what a timer counts, and more where there is none", () => {
    const changes = { idleTimeoutMs: 2 ** 31 - 1, maxStreamBytes: 2 ** 31 };
    expect(mergeLimits(changes)).toMatchObject(changes);
  });

  it("takes Infinity for every limit", () => {
    for (const name of Object.keys(DEFAULT_LIMITS))
      expect(mergeLimits({ [name]: Infinity })).toMatchObject({ [name]: Infinity });
  });

  it.each([
    ["zero", { maxRedirects: 0 }],
    ["a negative number", { idleTimeoutMs: -1 }],
    ["no number", { maxRedirects: NaN }],
    ["a text", { maxRedirects: "5" }],
    ["nothing", { maxRedirects: undefined }],
    ["a name that is none", { maxRedirect: 5 }],
    ["a name of every object", { toString: 5 }],
    ["more milliseconds than a timer counts", { idleTimeoutMs: 2 ** 31 }],
  ])("throws for %s", (_name, changes) => {
    expect(() => mergeLimits(changes as unknown as Parameters<typeof mergeLimits>[0])).toThrow(TypeError);
  });
});

describe("limitError", () => {
  it.each([
    ["idleTimeoutMs", "timeout", "the limit idleTimeoutMs is 30000 ms"],
    ["maxRedirects", "limit", "the limit maxRedirects is 5"],
  ] as const)("%s is a %s that names the limit", (name, code, advice) => {
    const error = limitError(name, DEFAULT_LIMITS, "too much");
    expect(error).toMatchObject({ code, limit: name, advice, reason: "too much" });
    expect(error.message).toBe(`too much (${advice})`);
  });
});
