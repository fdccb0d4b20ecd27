import { createNetmaskByte, parseIpAddress, extractEmbeddedIpv4, hasAddressPrefix } from "./ip-address.ts";

/** A block of addresses that the policy allows although the addresses are not public. */
export interface AllowedAddressBlock {
  /** The address block in CIDR notation, as in `10.1.0.0/16`, or one IP address. */
  readonly cidr: string;
  /**
   * The host name that may resolve to the addresses, or a pattern such as `*.corp.example`. With `host`, the entry
   * allows neither other names nor a URL with an IP address. A host name that is not public also needs an entry in
   * `allowNames`. Default: all hosts.
   */
  readonly host?: string | undefined;
  /** The scheme that may connect to the addresses. Default: all schemes. */
  readonly scheme?: string | undefined;
  /** The port that the scheme may connect to. Default: all ports that the policy's port rule allows. */
  readonly port?: number | undefined;
}

/** The target of a connection whose address the policy checks. */
export interface SchemeHostPort {
  readonly scheme: string;
  /** The host of the URL: a name or an IP address. */
  readonly host: string;
  readonly port: number;
}

/** Returns true for an address that an {@link AllowedAddressBlock} covers. */
export type AddressMatcher = (bytes: Uint8Array, target: SchemeHostPort) => boolean;

/**
 * Creates the matcher of an allowed address block. Throws `TypeError` for an invalid block, host or scheme, and for
 * bits set after the prefix. The check of the policy's options has already checked the port of the block.
 */
export function createAddressMatcher(allowed: string | AllowedAddressBlock): AddressMatcher {
  const { cidr, host, scheme, port }: AllowedAddressBlock =
    typeof allowed === "string" ? { cidr: allowed } : allowed;
  const { prefix, bits } = parseCidr(cidr);
  if (scheme !== undefined && !/^[a-z0-9+.-]+$/i.test(scheme))
    throw new TypeError(`"${scheme}" is not a scheme name`);
  const matchesHost = host === undefined ? undefined : createHostNameMatcher(host);
  return (bytes, target) => {
    // An IPv4 address counts as the same address as an IPv6 address that embeds it.
    const candidates = [bytes, extractEmbeddedIpv4(bytes)];
    return (
      candidates.some(
        (candidate) => candidate?.length === prefix.length && hasAddressPrefix(prefix, bits, candidate),
      ) &&
      (scheme === undefined || scheme.toLowerCase() === target.scheme) &&
      (port === undefined || port === target.port) &&
      (matchesHost === undefined || matchesHost(target.host))
    );
  };
}

function parseCidr(cidr: string): { prefix: Uint8Array; bits: number } {
  const [, address = "", length] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(cidr) ?? [];
  const prefix = address.includes("%") ? undefined : parseIpAddress(address);
  const bits = Number(length ?? (prefix?.length ?? 0) * 8);
  if (!prefix || bits > prefix.length * 8)
    throw new TypeError(`"${cidr}" is not an address block in CIDR notation, such as 10.1.0.0/16`);
  const stray = prefix.some((byte, index) => (byte & ~createNetmaskByte(bits - index * 8)) !== 0);
  if (stray) throw new TypeError(`"${cidr}" has bits set after its prefix`);
  return { prefix, bits };
}

/** Returns true for a host name that the policy allows although the name is not public. */
export type HostNameMatcher = (host: string) => boolean;

/**
 * Creates the matcher of one name, or of all names below it for a pattern with `*.`. Throws `TypeError` for an invalid
 * host name.
 */
export function createHostNameMatcher(pattern: string): HostNameMatcher {
  const isWildcard = pattern.startsWith("*.");
  const name = (isWildcard ? pattern.slice(2) : pattern).replace(/\.$/, "").toLowerCase();
  if (!/^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(name))
    throw new TypeError(`"${pattern}" is not a host name or pattern, such as intranet.example or *.example`);
  return (host) => {
    const lower = host.replace(/\.$/, "").toLowerCase();
    return isWildcard ? lower.endsWith(`.${name}`) : lower === name;
  };
}
