import { array, assert, constantFrom, integer, ipV4, ipV6, oneof, property } from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { parseIpAddress, findRefusedBlockName } from "../../../src/policy/ip-address.ts";

/**
 * Addresses that ipaddr.js 2.5.0 classifies differently, by the name of the refused block. The IANA registries and the
 * address rule of the guard justify each difference. A difference that the table does not list fails the test.
 */
const KNOWN_CLASSIFICATION_DIFFERENCES: readonly (readonly [
  block: string,
  address: string,
  range: string,
])[] = [
  ["outside 2000::/3", "4000::1", "unicast"],
  ["outside 2000::/3", "::2", "unicast"],
  ["outside 2000::/3", "::8.8.8.8", "unicast"],
  ["not allocated by IANA", "2000::1", "unicast"],
  ["not allocated by IANA", "3000::1", "unicast"],
  ["returned to IANA (6bone)", "3ffe::1", "unicast"],
  ["the platform service of Azure", "168.63.129.16", "unicast"],
];

function findOurRefusedBlock(address: string): string | undefined {
  const bytes = parseIpAddress(address);
  return bytes ? findRefusedBlockName(bytes) : "no address";
}

/**
 * Returns the name of the range to which ipaddr.js assigns an address. The range of an embedded IPv4 address replaces
 * that of the IPv6 address.
 */
function findIpaddrJsRange(address: string): string {
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().range();
  if (parsed.range() === "rfc6052") return ipaddr.fromByteArray(parsed.toByteArray().slice(12)).range();
  return parsed.range();
}

const isKnownDifference = (block: string, range: string): boolean =>
  KNOWN_CLASSIFICATION_DIFFERENCES.some(([name, , known]) => name === block && known === range);

describe("the address rule compared with ipaddr.js", () => {
  it.each(KNOWN_CLASSIFICATION_DIFFERENCES)(
    "findRefusedBlockName refuses an address of the block %s: ipaddr.js classifies %s as %s",
    (block, address, range) => {
      expect(findIpaddrJsRange(address)).toBe(range);
      expect(findOurRefusedBlock(address)).toBe(block);
    },
  );

  const near = oneof(
    constantFrom(
      "2001",
      "2002",
      "3ffe",
      "3fff",
      "64",
      "fe80",
      "fec0",
      "ff02",
      "2606",
      "2a00",
      "2400",
      "0",
      "1",
    ),
    integer({ min: 0, max: 0xffff }).map((group) => group.toString(16)),
  );
  const ipv6Near = array(near, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":"));

  it("findRefusedBlockName refuses the addresses that ipaddr.js does not class as unicast, except for the listed differences", () => {
    const seen = { public: 0, refused: 0 };
    assert(
      property(oneof(ipV4(), ipV6(), ipv6Near), (address) => {
        const block = findOurRefusedBlock(address);
        const range = findIpaddrJsRange(address);
        seen[block === undefined ? "public" : "refused"]++;
        if (block === undefined) expect(range).toBe("unicast");
        else if (range === "unicast")
          expect(isKnownDifference(block, range), `${address} is ${block}`).toBe(true);
      }),
      { numRuns: 20_000 },
    );
    // Public and private addresses must occur, to prove that the test compared addresses.
    expect(seen.public).toBeGreaterThan(1_000);
    expect(seen.refused).toBeGreaterThan(1_000);
  });
});
