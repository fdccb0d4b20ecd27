import { describe, expect, it } from "vitest";
import { type PolicyOptions, publicInternet, anyAddress } from "../../src/policy/policy.ts";

describe("policies", () => {
  it("have calm defaults", () => {
    expect(publicInternet()).toMatchObject({
      name: "publicInternet",
      addressScope: "public",
      strictPorts: false,
      redirectPolicy: undefined,
    });
    expect(anyAddress()).toMatchObject({
      name: "anyAddress",
      addressScope: "any",
      strictPorts: false,
      redirectPolicy: undefined,
    });
    expect(publicInternet().allowPorts.size).toBe(0);
    expect(publicInternet().allowSchemeRedirects.size).toBe(0);
    expect(Object.isFrozen(publicInternet())).toBe(true);
  });

  it("fold names, and read both arrows", () => {
    const policy = anyAddress({
      allowPorts: { Gopher: [7070] },
      allowSchemeRedirects: ["HTTP->FTP", "http→gopher"],
      redirectPolicy: publicInternet(),
    });
    expect([...(policy.allowPorts.get("gopher") ?? [])]).toEqual([7070]);
    expect([...policy.allowSchemeRedirects]).toEqual(["http→ftp", "http→gopher"]);
    expect(policy.redirectPolicy?.name).toBe("publicInternet");
  });

  const wrong: readonly (readonly [name: string, options: PolicyOptions])[] = [
    ["port 0", { allowPorts: { gopher: [0] } }],
    ["a port above 65535", { allowPorts: { gopher: [70, 65536] } }],
    ["a negative port", { allowPorts: { gopher: [-1] } }],
    ["half a port", { allowPorts: { gopher: [70.5] } }],
    ["no number", { allowPorts: { gopher: [NaN] } }],
    ["an edge without an arrow", { allowSchemeRedirects: ["http-ftp"] }],
    ["an edge without an end", { allowSchemeRedirects: ["http→"] }],
    ["two edges in one", { allowSchemeRedirects: ["http→ftp→gopher"] }],
  ];
  it.each(wrong)("throw for %s", (_name, options) => {
    expect(() => publicInternet(options)).toThrow(TypeError);
    expect(() => anyAddress(options)).toThrow(TypeError);
  });
});
