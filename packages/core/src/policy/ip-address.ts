import { ALLOCATED_IPV6_BLOCKS, IPV6_BLOCKS_RETURNED_TO_IANA } from "./ipv6-allocations.ts";
import { CLOUD_PLATFORM_IPV4_ADDRESSES, CLOUD_PLATFORM_IPV6_ADDRESSES } from "./cloud-addresses.ts";

/** A block of IP addresses, and the reason why the guard refuses these addresses. */
export type AddressBlock = readonly [prefix: string, bits: number, name: string];

/**
 * IPv4 blocks that are not public unicast. Sources: the IANA IPv4 Special-Purpose Address Registry as of November 2026,
 * and multicast (RFC 5771). The whole block 192.0.0.0/24 is refused, because its few globally reachable entries are
 * anycast addresses for services of the network.
 */
const IPV4_BLOCKS: readonly AddressBlock[] = [
  ["0.0.0.0", 8, "this network"],
  ["10.0.0.0", 8, "private use"],
  ["100.64.0.0", 10, "shared address space"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link local"],
  ["172.16.0.0", 12, "private use"],
  ["192.0.0.0", 24, "IETF protocol assignments"],
  ["192.0.2.0", 24, "documentation"],
  ["192.88.99.0", 24, "6to4 relay anycast"],
  ["192.168.0.0", 16, "private use"],
  ["198.18.0.0", 15, "benchmarking"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];

/**
 * IPv6 blocks within 2000::/3 that are not public unicast. Source: the IANA IPv6 Special-Purpose Address Registry as of
 * November 2026. The whole block 2001::/23 is refused, because it contains Teredo, benchmarking and other assignments
 * of the IETF.
 */
const IPV6_BLOCKS: readonly AddressBlock[] = [
  ["2001:0:0:0:0:0:0:0", 23, "IETF protocol assignments"],
  ["2001:db8:0:0:0:0:0:0", 32, "documentation"],
  ["2002:0:0:0:0:0:0:0", 16, "6to4"],
  ["3fff:0:0:0:0:0:0:0", 20, "documentation"],
];

/** The prefix of a block of IP addresses, as bytes and as a number of bits. */
interface AddressPrefix {
  readonly prefix: Uint8Array;
  readonly bits: number;
  readonly name: string;
}

const LINK_LOCAL_PREFIX = Uint8Array.of(0xfe, 0x80);

/**
 * The 96-bit IPv6 prefixes before an embedded IPv4 address: mapped (RFC 4291) and NAT64 (RFC 6052). The policy's
 * address rule applies to the embedded IPv4 address.
 */
const IPV4_IN_IPV6: readonly AddressBlock[] = [
  ["0:0:0:0:0:ffff:0:0", 96, "mapped"],
  ["64:ff9b:0:0:0:0:0:0", 96, "NAT64"],
];

const ipv4Blocks = IPV4_BLOCKS.map(parseAddressBlock);
const ipv6Blocks = IPV6_BLOCKS.map(parseAddressBlock);
const allocatedIpv6Blocks = ALLOCATED_IPV6_BLOCKS.map(([prefix, bits]) =>
  parseAddressBlock([prefix, bits, "allocated"]),
);
const returnedIpv6Blocks = IPV6_BLOCKS_RETURNED_TO_IANA.map(parseAddressBlock);
const cloudPlatformIpv4Blocks = CLOUD_PLATFORM_IPV4_ADDRESSES.map(parseAddressBlock);
const cloudPlatformIpv6Blocks = CLOUD_PLATFORM_IPV6_ADDRESSES.map(parseAddressBlock);
const ipv4InIpv6Prefixes = IPV4_IN_IPV6.map(parseAddressBlock);

/** Returns the 4 or 16 bytes of an IP address in the form that resolvers return, or `undefined` for any other text. */
export function parseIpAddress(text: string): Uint8Array | undefined {
  return parseAddressText(text.includes("%") ? removeZone(text) : text);
}

/**
 * Removes the zone of an IPv6 address, as in `fe80::1%eth0`. Returns a text that is no IPv6 address with a zone
 * unchanged.
 */
function removeZone(text: string): string {
  const percent = text.indexOf("%");
  const address = text.slice(0, percent);
  return address.includes(":") && /^[0-9A-Za-z.:-]+$/.test(text.slice(percent + 1)) ? address : text;
}

/** True for an IPv6 address of fe80::/10, whose meaning depends on a network interface. RFC 4291 §2.5.6. */
export function isLinkLocalIpv6Address(address: string): boolean {
  const bytes = parseIpAddress(address);
  return bytes?.length === 16 && hasAddressPrefix(LINK_LOCAL_PREFIX, 10, bytes);
}

/** Returns the name of the block of an address that is not public, or `undefined` for a public address. */
export function findRefusedBlockName(bytes: Uint8Array): string | undefined {
  return findCloudPlatform(bytes) ?? findSpecialPurposeBlockName(bytes) ?? findUnallocatedBlockName(bytes);
}

/**
 * True for an address of a special-purpose block, such as a private network or loopback. An address at which a cloud
 * platform offers services to its machines is neither private nor public.
 */
export function isPrivateAddress(address: string): boolean {
  const bytes = parseIpAddress(address);
  return (
    bytes !== undefined &&
    findCloudPlatform(bytes) === undefined &&
    findSpecialPurposeBlockName(bytes) !== undefined
  );
}

function findSpecialPurposeBlockName(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return findAddressBlockName(ipv4Blocks, bytes);
  if (bytes.length !== 16) return "no address";
  const embedded = extractEmbeddedIpv4(bytes);
  if (embedded) return findAddressBlockName(ipv4Blocks, embedded);
  if (((bytes[0] ?? 0) & 0xe0) !== 0x20)
    return bytes.every((byte, index) => byte === (index === 15 ? 1 : 0)) ? "loopback" : "outside 2000::/3";
  return findAddressBlockName(ipv6Blocks, bytes);
}

/** Returns the name of the cloud platform's service that has the given address. */
function findCloudPlatform(bytes: Uint8Array): string | undefined {
  const ipv4 = bytes.length === 4 ? bytes : extractEmbeddedIpv4(bytes);
  return ipv4
    ? findAddressBlockName(cloudPlatformIpv4Blocks, ipv4)
    : findAddressBlockName(cloudPlatformIpv6Blocks, bytes);
}

/** Returns a reason for an IPv6 address that IANA has allocated to no registry. */
function findUnallocatedBlockName(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4 || extractEmbeddedIpv4(bytes) || findAddressBlockName(allocatedIpv6Blocks, bytes))
    return undefined;
  return findAddressBlockName(returnedIpv6Blocks, bytes) ?? "not allocated by IANA";
}

/** Returns the IPv4 address embedded in an IPv6 address, or `undefined`. */
export function extractEmbeddedIpv4(bytes: Uint8Array): Uint8Array | undefined {
  const isEmbedding = bytes.length === 16 && findAddressBlockName(ipv4InIpv6Prefixes, bytes) !== undefined;
  return isEmbedding ? bytes.subarray(12) : undefined;
}

/**
 * True when both texts are the same IP address. An IPv4 address counts as the same address as its IPv4-mapped IPv6
 * form.
 */
export function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [unmapIpv4(one), unmapIpv4(other)];
  return (
    a !== undefined && b !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index])
  );
}

function unmapIpv4(text: string): Uint8Array | undefined {
  const bytes = parseIpAddress(text);
  const isMapped = bytes?.length === 16 && findAddressBlockName(ipv4InIpv6Prefixes, bytes) === "mapped";
  return isMapped ? bytes.subarray(12) : bytes;
}

function parseAddressBlock([prefix, bits, name]: AddressBlock): AddressPrefix {
  return { prefix: parseAddressText(prefix) ?? new Uint8Array(0), bits, name };
}

function findAddressBlockName(blocks: readonly AddressPrefix[], bytes: Uint8Array): string | undefined {
  return blocks.find(({ prefix, bits }) => hasAddressPrefix(prefix, bits, bytes))?.name;
}

export function hasAddressPrefix(prefix: Uint8Array, bits: number, bytes: Uint8Array): boolean {
  for (let index = 0, left = bits; left > 0; index++, left -= 8) {
    const mask = createNetmaskByte(left);
    if (((prefix[index] ?? 0) & mask) !== ((bytes[index] ?? 0) & mask)) return false;
  }
  return true;
}

/** Returns the bit mask of the next byte of a CIDR prefix, of which `left` bits remain. */
export function createNetmaskByte(left: number): number {
  if (left >= 8) return 0xff;
  return left <= 0 ? 0 : 0xff & (0xff << (8 - left));
}

function parseAddressText(text: string): Uint8Array | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

/**
 * Parses an IPv4 address of four decimal groups without leading zeros. Some resolvers read leading zeros in an IPv4
 * address as octal, and thus as another address.
 */
function parseIpv4(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(4);
  let group = 0;
  let value = -1;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit >= 0 && digit <= 9) {
      if (value === 0) return undefined;
      value = value < 0 ? digit : value * 10 + digit;
      if (value > 255) return undefined;
    } else {
      if (text[index] !== "." || value < 0 || group === 3) return undefined;
      bytes[group++] = value;
      value = -1;
    }
  }
  if (group !== 3 || value < 0) return undefined;
  bytes[3] = value;
  return bytes;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = dotted ? parseIpv4(dotted[2] ?? "") : new Uint8Array(0);
  if (!tail) return undefined;
  const [before = "", after, more] = (dotted ? (dotted[1] ?? "").replace(/([^:]):$/, "$1") : text).split(
    "::",
  );
  if (more !== undefined) return undefined;
  const head = parseIpv6Groups(before);
  const rest = parseIpv6Groups(after ?? "");
  const missing = 16 - tail.length - (head?.length ?? 0) - (rest?.length ?? 0);
  if (!head || !rest || missing < 0 || (after === undefined ? missing !== 0 : missing < 2)) return undefined;
  return Uint8Array.from([...head, ...new Uint8Array(missing), ...rest, ...tail]);
}

function parseIpv6Groups(text: string): number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
}
