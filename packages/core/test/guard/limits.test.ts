import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, limitReached, limitsWith } from "../../src/guard/limits.ts";

describe("limitsWith", () => {
  it("changes the named limits only", () => {
    const limits = limitsWith({ maxHops: 1, bodyTimeoutMs: 5 });
    expect(limits).toEqual({ ...DEFAULT_LIMITS, maxHops: 1, bodyTimeoutMs: 5 });
    expect(limitsWith({ maxHops: 2 }, limits)).toEqual({ ...limits, maxHops: 2 });
    expect(Object.isFrozen(limits)).toBe(true);
    expect(Object.isFrozen(DEFAULT_LIMITS)).toBe(true);
  });

  it("changes nothing without a change", () => {
    expect(limitsWith()).toBe(DEFAULT_LIMITS);
    const base = limitsWith({ maxHops: 1 });
    expect([limitsWith({}, base), limitsWith(undefined, base)]).toEqual([base, base]);
    expect(limitsWith({}, base)).toBe(base);
  });

  it.each([
    [{ maxHop: 5 }, 'limits has no option "maxHop": did you mean "maxHops"?'],
    [{ maxHops: 0 }, 'limits: the option "maxHops" has to be a number above 0, and not 0'],
    [
      { idleTimeoutMs: 2 ** 31 },
      'limits: the option "idleTimeoutMs" has to be a number above 0 and at most 2147483647, or Infinity, and not 2147483648',
    ],
  ])("says of %j: %s", (changes, message) => {
    expect(() => limitsWith(changes as Parameters<typeof limitsWith>[0])).toThrow(new TypeError(message));
  });

  it("takes what a timer counts, and more where there is none", () => {
    const changes = { idleTimeoutMs: 2 ** 31 - 1, maxStreamBytes: 2 ** 31 };
    expect(limitsWith(changes)).toMatchObject(changes);
  });

  it("takes Infinity for every limit", () => {
    for (const name of Object.keys(DEFAULT_LIMITS))
      expect(limitsWith({ [name]: Infinity })).toMatchObject({ [name]: Infinity });
  });

  it.each([
    ["zero", { maxHops: 0 }],
    ["a negative number", { idleTimeoutMs: -1 }],
    ["no number", { maxHops: NaN }],
    ["a text", { maxHops: "5" }],
    ["nothing", { maxHops: undefined }],
    ["a name that is none", { maxHop: 5 }],
    ["a name of every object", { toString: 5 }],
    ["more milliseconds than a timer counts", { idleTimeoutMs: 2 ** 31 }],
  ])("throws for %s", (_name, changes) => {
    expect(() => limitsWith(changes as unknown as Parameters<typeof limitsWith>[0])).toThrow(TypeError);
  });
});

describe("limitReached", () => {
  it.each([
    ["idleTimeoutMs", "timeout", "the limit idleTimeoutMs is 30000 ms"],
    ["maxHops", "limit", "the limit maxHops is 5"],
  ] as const)("%s is a %s that names the limit", (name, code, advice) => {
    const error = limitReached(name, DEFAULT_LIMITS, "too much");
    expect(error).toMatchObject({ code, limit: name, advice, what: "too much" });
    expect(error.message).toBe(`too much (${advice})`);
  });
});
