import { isIP } from "node:net";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIpAddress, findRefusedBlockName, isSameAddress } from "../../../src/policy/ip-address.ts";
import {
  isAllocatedIpv6Prefix,
  NON_PUBLIC_IPV6_ADDRESSES,
  NON_PUBLIC_IPV4_RANGES,
  NON_PUBLIC_IPV6_RANGES_IN_2000_SLASH_3,
} from "./private-addresses.ts";

const seed = 1738;

function findBlockOfAddress(address: string): string | undefined {
  const bytes = parseIpAddress(address);
  if (!bytes) throw new Error(`${address} is no address`);
  return findRefusedBlockName(bytes);
}

/** Converts an address to a number. */
function addressToNumber(bytes: Uint8Array): bigint {
  return bytes.reduce((all, byte) => (all << 8n) | BigInt(byte), 0n);
}

/** The addresses directly before and after the private blocks, where they exist, and `8.8.8.8`. */
const PUBLIC_IPV4 = [
  "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
  "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.1.255",
  "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
  "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8",
]; // prettier-ignore

const PUBLIC_IPV6 = [
  "2001:200::",
  "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
  "2001:db9::",
  "2003::",
  "2606:4700:4700::1111",
  "2c0f:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];

describe("findRefusedBlockName returns the block of a refused IPv4 address", () => {
  it.each(NON_PUBLIC_IPV4_RANGES)("the addresses from %s to %s are refused", (first, last) => {
    expect(findBlockOfAddress(first)).toEqual(expect.any(String));
    expect(findBlockOfAddress(last)).toBe(first === "224.0.0.0" ? "reserved" : findBlockOfAddress(first));
  });
  it.each(PUBLIC_IPV4)("the address %s is public", (address) =>
    expect(findBlockOfAddress(address)).toBeUndefined(),
  );
});

describe("findRefusedBlockName returns the block of a refused IPv6 address", () => {
  it.each(NON_PUBLIC_IPV6_RANGES_IN_2000_SLASH_3)(
    "the addresses from %s to %s are refused",
    (first, last) => {
      expect(findBlockOfAddress(first)).toEqual(expect.any(String));
      expect(findBlockOfAddress(last)).toBe(findBlockOfAddress(first));
    },
  );
  it.each(NON_PUBLIC_IPV6_ADDRESSES)("the address %s (%s) is refused", (address) =>
    expect(findBlockOfAddress(address)).toEqual(expect.any(String)),
  );
  it.each(PUBLIC_IPV6)("the address %s is public", (address) =>
    expect(findBlockOfAddress(address)).toBeUndefined(),
  );

  it.each(["::ffff:", "64:ff9b::", "0:0:0:0:0:FFFF:", "0064:FF9B:0:0:0:0:"])(
    "an address with the prefix %s follows the rule for the embedded IPv4 address",
    (prefix) => {
      for (const [first, last] of NON_PUBLIC_IPV4_RANGES) {
        expect(findBlockOfAddress(prefix + first)).toBe(findBlockOfAddress(first));
        expect(findBlockOfAddress(prefix + last)).toBe(findBlockOfAddress(last));
      }
      for (const address of PUBLIC_IPV4) expect(findBlockOfAddress(prefix + address)).toBeUndefined();
    },
  );

  it("findRefusedBlockName refuses byte arrays that are no address", () => {
    for (const length of [0, 3, 5, 15, 17])
      expect(findRefusedBlockName(new Uint8Array(length))).toBe("no address");
  });
});

describe("findRefusedBlockName agrees with an independent comparison", () => {
  const within = (rows: typeof NON_PUBLIC_IPV4_RANGES, one: bigint): boolean =>
    rows.some(([first, last]) =>
      [first, last]
        .map((end) => addressToNumber(parseIpAddress(end) ?? new Uint8Array(0)))
        .every((end, index) => (index === 0 ? one >= end : one <= end)),
    );
  const isPrivate4 = (one: bigint): boolean => within(NON_PUBLIC_IPV4_RANGES, one);
  const isPrivate6 = (one: bigint): boolean => {
    const [carrier, carried] = [one >> 32n, one & 0xffffffffn];
    if (carrier === 0xffffn || carrier === 0x64ff9bn << 64n) return isPrivate4(carried);
    return !isAllocatedIpv6Prefix(Number(one >> 96n)) || within(NON_PUBLIC_IPV6_RANGES_IN_2000_SLASH_3, one);
  };

  it("findRefusedBlockName agrees with a numeric comparison for any IPv4 address", () => {
    const bytes = fc.uint8Array({ minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(bytes, (one) => {
        expect(findRefusedBlockName(one) !== undefined).toBe(isPrivate4(addressToNumber(one)));
      }),
      { seed, numRuns: 5000 },
    );
  });

  it("findRefusedBlockName agrees with a numeric comparison for any IPv6 address", () => {
    const heads = [
      [],
      [0x20],
      [0x20, 1],
      [0x20, 1, 0x0d, 0xb8],
      [0x20, 2],
      [0x24],
      [0x26],
      [0x2a],
      [0x3f, 0xff],
      [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ];
    const bytes = fc
      .tuple(fc.constantFrom(...heads), fc.uint8Array({ minLength: 16, maxLength: 16 }))
      .map(([head, tail]) => Uint8Array.from([...head, ...tail].slice(0, 16)));
    fc.assert(
      fc.property(bytes, (one) => {
        expect(findRefusedBlockName(one) !== undefined).toBe(isPrivate6(addressToNumber(one)));
      }),
      { seed, numRuns: 5000 },
    );
  });
});

describe("parseIpAddress", () => {
  const words = (bytes: Uint8Array): string[] =>
    Array.from({ length: 8 }, (_, index) =>
      (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
    );

  it("parseIpAddress parses five spellings of any IPv6 address", () => {
    const sparse = fc
      .uint8Array({ minLength: 16, maxLength: 16, max: 3 })
      .map((bytes) => bytes.map((byte) => (byte === 3 ? 0xa5 : byte === 2 ? 1 : 0)));
    fc.assert(
      fc.property(fc.oneof(sparse, fc.uint8Array({ minLength: 16, maxLength: 16 })), (bytes) => {
        const full = words(bytes);
        const dotted = `${full.slice(0, 6).join(":")}:${bytes.subarray(12).join(".")}`;
        const shortest = new URL(`http://[${full.join(":")}]/`).hostname.slice(1, -1);
        const padded = full.map((word) => word.padStart(4, "0").toUpperCase()).join(":");
        for (const text of [full.join(":"), dotted, shortest, padded, `${shortest}%eth0`]) {
          expect(parseIpAddress(text)).toEqual(bytes);
          expect(isSameAddress(text, padded)).toBe(true);
        }
      }),
      { seed, numRuns: 1000 },
    );
  });

  it("parseIpAddress accepts the same address texts as net.isIP of Node.js", () => {
    const pieces = fc.constantFrom(
      "1",
      "0",
      "01",
      "255",
      "256",
      ".",
      "..",
      ":",
      "::",
      "ffff",
      "fffff",
      "G",
      "1.2.3.4",
      "%",
      "eth0",
      " ",
      "-",
      "１",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (all) => {
        const text = all.join("");
        expect([text, parseIpAddress(text)?.length]).toEqual([
          text,
          { 0: undefined, 4: 4, 6: 16 }[isIP(text)],
        ]);
      }),
      { seed, numRuns: 20_000 },
    );
  });

  it.each([
    "", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.-4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4\n", "0x1.2.3.4",
    "1.2.3.4%eth0", "8.8.8.8%", ":", ":::", "::1::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::",
    "::1.2.3", "::1.2.3.4.5", "1.2.3.4::", "::1.2.3.4:1", "[::1]", "::g", "::1%", "::1%a/b", "::1\n", "localhost", "②.0.0.1",
  ])("parseIpAddress rejects the address text %j", (text) => { expect(parseIpAddress(text)).toBeUndefined(); expect(isIP(text)).toBe(0); }); // prettier-ignore
});

describe("isSameAddress", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1", true],
    ["127.0.0.1", "::ffff:127.0.0.1", true],
    ["::FFFF:7f00:1", "127.0.0.1", true],
    ["::1", "0:0:0:0:0:0:0:1", true],
    ["fe80::1%eth0", "fe80::1", true],
    ["127.0.0.1", "127.0.0.2", false],
    ["::127.0.0.1", "127.0.0.1", false],
    ["64:ff9b::127.0.0.1", "127.0.0.1", false],
    ["", "127.0.0.1", false],
    ["", "", false],
    ["localhost", "localhost", false],
  ])("the addresses %j and %j are the same: %j", (one, other, same) => {
    expect(isSameAddress(one, other)).toBe(same);
    expect(isSameAddress(other, one)).toBe(same);
  });
});
