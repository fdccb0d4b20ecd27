import { describe, expect, it } from "vitest";
import { type PolicyOptions, publicInternet, anyAddress } from "../../src/policy/policy.ts";

describe("publicInternet and anyAddress create policies", () => {
  it("a policy allows no further ports or redirects by default, and is frozen", () => {
    expect(publicInternet()).toMatchObject({
      name: "publicInternet",
      addressScope: "public",
      strictPorts: false,
      allowProxyResolution: false,
      redirectPolicy: undefined,
    });
    expect(anyAddress()).toMatchObject({
      name: "anyAddress",
      addressScope: "any",
      strictPorts: false,
      allowProxyResolution: true,
      redirectPolicy: undefined,
    });
    expect(publicInternet().allowPorts.size).toBe(0);
    expect(publicInternet().allowSchemeRedirects.size).toBe(0);
    expect(Object.isFrozen(publicInternet())).toBe(true);
  });

  it("policy options may have scheme names in any case", () => {
    const policy = anyAddress({
      allowPorts: { Gopher: [7070] },
      allowSchemeRedirects: { HTTP: ["FTP", "gopher"] },
      redirectPolicy: publicInternet(),
    });
    expect([...(policy.allowPorts.get("gopher") ?? [])]).toEqual([7070]);
    expect([...policy.allowSchemeRedirects]).toEqual([["http", new Set(["ftp", "gopher"])]]);
    expect(policy.redirectPolicy?.name).toBe("publicInternet");
  });

  const wrong: readonly (readonly [name: string, options: PolicyOptions])[] = [
    ["port 0", { allowPorts: { gopher: [0] } }],
    ["a port above 65535", { allowPorts: { gopher: [70, 65536] } }],
    ["a negative port", { allowPorts: { gopher: [-1] } }],
    ["a port that is no whole number", { allowPorts: { gopher: [70.5] } }],
    ["the port NaN", { allowPorts: { gopher: [NaN] } }],
    ["a redirect to a text that is no scheme name", { allowSchemeRedirects: { http: ["f t p"] } }],
    ["a redirect to an empty scheme name", { allowSchemeRedirects: { http: [""] } }],
    ["a redirect from a text that is no scheme name", { allowSchemeRedirects: { "http→ftp": ["gopher"] } }],
  ];
  it.each(wrong)("publicInternet and anyAddress reject policy options with %s", (_name, options) => {
    expect(() => publicInternet(options)).toThrow(TypeError);
    expect(() => anyAddress(options)).toThrow(TypeError);
  });

  it.each([
    ["publicInternet", publicInternet],
    ["anyAddress", anyAddress],
  ])("the error for an unknown option of %s names the function", (name, createPolicy) => {
    expect(() => createPolicy({ strictPort: true } as PolicyOptions)).toThrow(
      new TypeError(`${name} has no option "strictPort": did you mean "strictPorts"?`),
    );
  });
});
