import { describe, expect, it } from "vitest";
import { Admission } from "../src/admission.ts";

const MANY = { total: 9, perClient: 9, perHost: 9, downloads: 9, downloadsPerClient: 9, downloadsPerHost: 9 };

describe("Admission", () => {
  it.each([
    ["pages in all", "page", { total: 2 }, ["a>x", "b>y"], "c>z", undefined],
    ["pages of a client", "page", { perClient: 2 }, ["a>x", "a>y"], "a>z", "b>z"],
    ["pages of a host", "page", { perHost: 2 }, ["a>x", "b>x"], "c>x", "c>y"],
    ["downloads in all", "download", { downloads: 2 }, ["a>x", "b>y"], "c>z", undefined],
    ["downloads of a client", "download", { downloadsPerClient: 2 }, ["a>x", "a>y"], "a>z", "b>z"],
    ["downloads of a host", "download", { downloadsPerHost: 2 }, ["a>x", "b>x"], "c>x", "c>y"],
  ] as const)("admits so many %s", (_, kind, limits, inside, refused, other) => {
    const admission = new Admission({ ...MANY, ...limits });
    const enter = (way: string, as: "page" | "download" = kind): (() => void) | undefined => {
      const [client = "", host = ""] = way.split(">");
      return admission.enter(as, client, host);
    };
    const [leave] = inside.map((way) => enter(way));
    expect(enter(refused)).toBeUndefined();
    // The other kind has limits of its own.
    expect(enter(refused, kind === "page" ? "download" : "page")).toBeDefined();
    if (other !== undefined) expect(enter(other)).toBeDefined();
    leave?.();
    // The second call of the same function changes nothing.
    leave?.();
    expect(enter(refused)).toBeDefined();
    expect(enter(refused)).toBeUndefined();
  });

  it("counts a client and a host of the same name apart", () => {
    const admission = new Admission({ ...MANY, perClient: 1 });
    expect(admission.enter("page", "a", "b")).toBeDefined();
    expect(admission.enter("page", "b", "a")).toBeDefined();
  });
});
