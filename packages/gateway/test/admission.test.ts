import { describe, expect, it } from "vitest";
import { Admission } from "../src/admission.ts";

describe("Admission", () => {
  it.each([
    ["in all", { total: 2, perClient: 9, perHost: 9 }, ["a>x", "b>y"], "c>z", "c>z"],
    ["of a client", { total: 9, perClient: 2, perHost: 9 }, ["a>x", "a>y"], "a>z", "b>z"],
    ["to a host", { total: 9, perClient: 9, perHost: 2 }, ["a>x", "b>x"], "c>x", "c>y"],
  ])("has room for so many %s", (name, limits, inside, refused, other) => {
    const admission = new Admission(limits);
    const enter = (way: string): (() => void) | undefined => {
      const [client = "", host = ""] = way.split(">");
      return admission.enter(client, host);
    };
    const [leave] = inside.map(enter);
    expect(enter(refused)).toBeUndefined();
    if (name !== "in all") expect(enter(other)).toBeDefined();
    leave?.();
    // Leaving twice makes no more room than there is.
    leave?.();
    expect(enter(refused)).toBeDefined();
    expect(enter(refused)).toBeUndefined();
  });
});
