import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIpAddress, isPrivateAddress, findRefusedBlockName } from "../../../src/policy/ip-address.ts";
import { connectTo } from "../../../src/network/connect.ts";
import { publicInternet, anyAddress } from "../../../src/policy/policy.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createRecordingConnectionContext } from "../../network/recording-connection-context.ts";
import { isAllocatedIpv6Prefix } from "./private-addresses.ts";

function findRefusedBlockOf(address: string): string | undefined {
  return findRefusedBlockName(parseIpAddress(address) ?? new Uint8Array(0));
}

/** Addresses of cloud platforms from their manuals. */
const CLOUD_PLATFORM_ADDRESSES: readonly (readonly [address: string, platform: string])[] = [
  ["169.254.169.254", "AWS"],
  ["169.254.169.254", "Google Cloud"],
  ["169.254.169.254", "OpenStack"],
  ["169.254.169.254", "DigitalOcean"],
  ["169.254.169.254", "Hetzner"],
  ["169.254.169.254", "IBM Cloud"],
  ["169.254.170.2", "AWS"],
  ["169.254.170.23", "AWS"],
  ["169.254.0.23", "Tencent Cloud"],
  ["169.254.42.42", "Scaleway"],
  ["168.63.129.16", "Azure"],
  ["100.100.100.200", "Alibaba Cloud"],
  ["192.0.0.192", "Oracle Cloud"],
  ["fd00:ec2::254", "AWS"],
  ["fd00:ec2::23", "AWS"],
  ["fd20:ce::254", "Google Cloud"],
  ["fe80::a9fe:a9fe", "OpenStack"],
  ["fd00:c1::a9fe:a9fe", "Oracle Cloud"],
  ["fd00:42::42", "Scaleway"],
  ["fd00:a9fe:a9fe::1", "Akamai"],
];

describe("the guard names the cloud platform whose address it refuses", () => {
  it.each(CLOUD_PLATFORM_ADDRESSES)(
    "findRefusedBlockName refuses %s as an address of %s",
    (address, platform) => {
      expect(findRefusedBlockOf(address)).toMatch(/^the (?:metadata|platform|credentials) service of /);
      expect(findRefusedBlockOf(address)).toContain(platform);
    },
  );

  it.each(["::ffff:168.63.129.16", "64:ff9b::168.63.129.16", "::ffff:a83f:8110", "fe80::a9fe:a9fe%eth0"])(
    "findRefusedBlockName refuses %s, which embeds an address of a cloud platform",
    (address) => expect(findRefusedBlockOf(address)).toMatch(/service of /),
  );

  it.each(["168.63.129.15", "168.63.129.17", "168.63.128.16"])(
    "findRefusedBlockName accepts %s, which is next to an address of a cloud platform",
    (address) => expect(findRefusedBlockOf(address)).toBeUndefined(),
  );

  it.each(["168.63.129.16", "64:ff9b::a83f:8110"])("the guard opens no connection to %s", async (address) => {
    const context = createRecordingConnectionContext({
      policy: publicInternet(),
      resolverAnswer: [address],
    });
    const error = await catchAccessError(connectTo(context, { host: "name.example", port: 7 }));
    expect(error.code).toBe("refused-address");
    expect(error.message).toContain("the platform service of Azure");
    expect(context.sockets).toEqual([]);
  });

  it("allowAddresses can allow an address of a cloud platform", () => {
    const { allowAddresses } = publicInternet({ allowAddresses: ["168.63.129.16"] });
    const bytes = parseIpAddress("168.63.129.16") ?? new Uint8Array(0);
    expect(
      allowAddresses.some((allows) => allows(bytes, { scheme: "http", host: "168.63.129.16", port: 80 })),
    ).toBe(true);
    expect(anyAddress().addressScope).toBe("any");
  });

  it.each(CLOUD_PLATFORM_ADDRESSES)("%s does not count as a private address", (address) =>
    expect(isPrivateAddress(address)).toBe(false),
  );

  it.each([
    ["10.0.0.1", true],
    ["127.0.0.1", true],
    ["::1", true],
    ["fd12::1", true],
    ["::ffff:192.168.0.1", true],
    ["8.8.8.8", false],
    ["2606:4700::1", false],
    ["3ffe::1", false],
    ["1.2.3", false],
  ])("isPrivateAddress of %s returns %s", (address, answer) =>
    expect(isPrivateAddress(address)).toBe(answer),
  );
});

describe("unallocated IPv6 addresses are refused", () => {
  it.each([
    ["3ffe::1", "returned to IANA (6bone)"],
    ["3ffe:831f:ce49:7601::1", "returned to IANA (6bone)"],
    ["2000::1", "not allocated by IANA"],
    ["2001:1000::1", "not allocated by IANA"],
    ["2001:6000::1", "not allocated by IANA"],
    ["2001:c000::1", "not allocated by IANA"],
    ["2003:4000::1", "not allocated by IANA"],
    ["2004::1", "not allocated by IANA"],
    ["2420::1", "not allocated by IANA"],
    ["2610:200::1", "not allocated by IANA"],
    ["2640::1", "not allocated by IANA"],
    ["2810::1", "not allocated by IANA"],
    ["2a20::1", "not allocated by IANA"],
    ["2d00::1", "not allocated by IANA"],
    ["3000::1", "not allocated by IANA"],
    ["3fff:1000::1", "not allocated by IANA"],
    ["2001:db8::1", "documentation"],
    ["3fff::1", "documentation"],
    ["2002:808:808::1", "6to4"],
    ["2001::1", "IETF protocol assignments"],
  ])("findRefusedBlockName refuses %s with the reason: %s", (address, why) =>
    expect(findRefusedBlockOf(address)).toBe(why),
  );

  it.each([
    "2001:200::1", "2001:4860:4860::8888", "2001:7fd::1", "2003::1", "2400:cb00::1", "2410::1", "2600:9000::1", "2610::1",
    "2620:fe::fe", "2630::1", "2800::1", "2a00:1450::1", "2a10::1", "2c0f:ffff::1", "2001:3c00::1",
  ])("the address %s is public", (address) => expect(findRefusedBlockOf(address)).toBeUndefined()); // prettier-ignore

  it("findRefusedBlockName refuses all unallocated addresses within 2000::/3", () => {
    // 2001:db8::/32 is the documentation block, which is within a block of APNIC in the registry.
    const isPublic = (high: number): boolean => isAllocatedIpv6Prefix(high) && high !== 0x2001_0db8;
    assert(
      property(integer({ min: 0x2000_0000, max: 0x3fff_ffff }), (high) => {
        const address = `${(high >>> 16).toString(16)}:${(high & 0xffff).toString(16)}::1`;
        expect([address, findRefusedBlockOf(address) === undefined]).toEqual([address, isPublic(high)]);
      }),
      { numRuns: 5_000 },
    );
  });
});
