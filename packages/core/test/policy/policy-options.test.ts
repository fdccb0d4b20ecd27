import { describe, expect, it } from "vitest";
import { parseIpAddress } from "../../src/policy/ip-address.ts";
import { createAddressMatcher, createHostNameMatcher } from "../../src/policy/allowed-addresses.ts";
import { findHostNameRefusal } from "../../src/policy/host-names.ts";
import { publicInternet } from "../../src/policy/policy.ts";
import { applyPortRule, type SchemePortProperties } from "../../src/policy/ports.ts";

const gopherPorts: SchemePortProperties = { scheme: "gopher", defaultPort: 70, portRange: "default" };
const parseAddressBytes = (address: string): Uint8Array => parseIpAddress(address) ?? new Uint8Array(0);

describe("the reasons for refusing a port or a name", () => {
  it.each([
    [70_000, {}, "70000 is not a valid port"],
    [7070, { strictPorts: true }, "port 7070 is not the default port of gopher"],
    [22, {}, "port 22 is below 1024 and is not the default port of gopher"],
    [6000, {}, "port 6000 belongs to another protocol"],
    [7070, {}, "port 7070 is not the default port of gopher"],
  ])("the guard refuses the port %i under %j without calling confirmPort: %s", (port, options, reason) => {
    expect(applyPortRule(port, gopherPorts, publicInternet(options))).toEqual({
      allowed: false,
      reason,
      needsConfirmation: false,
    });
  });

  it.each([
    ["a..b.example", "the host is neither a domain name nor an IP address"],
    [`${"a.".repeat(128)}example`, "the host name is too long for the DNS"],
    [`${"a".repeat(64)}.example`, "the host name is too long for the DNS"],
    ["127.1", "the host is neither a domain name nor an IP address"],
  ])("the guard refuses the host name %s: %s", (name, why) => {
    expect(findHostNameRefusal(name, publicInternet())).toBe(why);
  });
});

describe("invalid policy options are rejected with the reason", () => {
  it.each([
    [
      { allowPorts: { gopher: [0] } },
      'publicInternet: the option "allowPorts.gopher[0]" has to be a whole number from 1 to 65535, and not 0',
    ],
    [
      { allowPorts: { gopher: [65_536] } },
      'publicInternet: the option "allowPorts.gopher[0]" has to be a whole number from 1 to 65535, and not 65536',
    ],
    [{ allowSchemeRedirects: { http: ["f t p"] } }, 'allowSchemeRedirects: "f t p" is not a scheme name'],
    [{ allowAddresses: ["here"] }, '"here" is not an address block in CIDR notation, such as 10.1.0.0/16'],
    [
      { allowAddresses: ["x/10.0.0.0/8"] },
      '"x/10.0.0.0/8" is not an address block in CIDR notation, such as 10.1.0.0/16',
    ],
    [{ allowAddresses: ["10.1.0.0/8"] }, '"10.1.0.0/8" has bits set after its prefix'],
    // The last byte begins 88 bits after the prefix.
    [{ allowAddresses: ["2001:db8::1/32"] }, '"2001:db8::1/32" has bits set after its prefix'],
    [{ allowAddresses: [{ cidr: "10.0.0.0/8", scheme: "a b" }] }, '"a b" is not a scheme name'],
    [
      { allowAddresses: [{ cidr: "10.0.0.0/8", port: 0 }] },
      'publicInternet: the option "allowAddresses[0].port" has to be a whole number from 1 to 65535, and not 0',
    ],
    [{ allowNames: ["a b"] }, '"a b" is not a host name or pattern, such as intranet.example or *.example'],
  ])("publicInternet rejects %j: %s", (options, message) => {
    expect(() => publicInternet(options)).toThrow(new TypeError(message));
  });
});

describe("boundary values that a policy allows", () => {
  it.each([1, 65_535])("allowPorts allows the port %i", (port) => {
    const policy = publicInternet({ allowPorts: { gopher: [port] } });
    expect(applyPortRule(port, gopherPorts, policy)).toEqual({ allowed: true });
  });

  it.each([
    ["intranet.example.", "intranet.example"],
    ["a.b", "a.b"],
    ["x", "x"],
    ["*.a.b", "c.a.b"],
  ])("allowNames with %s allows the host %s", (pattern, name) => {
    expect(createHostNameMatcher(pattern)(name)).toBe(true);
  });

  it.each([
    ["0.0.0.0/0", "255.255.255.255"],
    ["::/0", "ffff::ffff"],
    ["10.0.0.1", "10.0.0.1"],
    ["10.0.0.0/31", "10.0.0.1"],
    ["fd00::/8", "fdff::1"],
  ])("the block %s contains the address %s", (cidr, address) => {
    expect(
      createAddressMatcher(cidr)(parseAddressBytes(address), { scheme: "http", host: address, port: 80 }),
    ).toBe(true);
  });
});
