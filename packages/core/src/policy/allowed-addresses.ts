import { addressBytes, carriedBytes, covers } from "./ip-address.ts";

/** Addresses that may be reached although they are not public. */
export interface AllowedAddress {
  /** A block in CIDR notation, as in `10.1.0.0/16`; an address alone is a block of one. */
  readonly cidr: string;
  /** Only for this scheme. Default: for all. */
  readonly scheme?: string | undefined;
  /** Only for this port. Default: for all that the port rule allows. */
  readonly port?: number | undefined;
}

/** An exception as the guard applies it. */
export type AddressRule = (bytes: Uint8Array, scheme: string, port: number) => boolean;

/** Throws `TypeError` for what is no block, for bits set behind its prefix, and for a scheme or port that is none. */
export function addressRule(exception: string | AllowedAddress): AddressRule {
  const { cidr, scheme, port } = typeof exception === "string" ? { cidr: exception } : exception;
  const { prefix, bits } = blockOf(cidr);
  if (scheme !== undefined && !/^[a-z0-9+.-]+$/i.test(scheme))
    throw new TypeError(`"${scheme}" is no scheme name`);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
    throw new TypeError(`${port} is no port`);
  return (bytes, asked, toPort) => {
    // An IPv4 address is the same one inside an IPv6 address that carries it.
    const candidates = [bytes, carriedBytes(bytes)];
    return (
      candidates.some(
        (candidate) => candidate?.length === prefix.length && covers(prefix, bits, candidate),
      ) &&
      (scheme === undefined || scheme.toLowerCase() === asked) &&
      (port === undefined || port === toPort)
    );
  };
}

function blockOf(cidr: string): { prefix: Uint8Array; bits: number } {
  const [, address = "", length] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(cidr) ?? [];
  const prefix = address.includes("%") ? undefined : addressBytes(address);
  const bits = Number(length ?? (prefix?.length ?? 0) * 8);
  if (!prefix || bits > prefix.length * 8)
    throw new TypeError(`"${cidr}" is no block of addresses, as in 10.1.0.0/16`);
  const stray = prefix.some((byte, index) => (byte & ~maskOf(bits - index * 8)) !== 0);
  if (stray) throw new TypeError(`"${cidr}" has bits set behind its prefix`);
  return { prefix, bits };
}

/** The mask of the next byte, when so many bits of the prefix are left. */
function maskOf(left: number): number {
  if (left >= 8) return 0xff;
  return left <= 0 ? 0 : 0xff & (0xff << (8 - left));
}

/** A name that may be looked up although it is not public: exactly this one, or with `*.` in front any name below it. */
export type NameRule = (host: string) => boolean;

/** Throws `TypeError` for what is no name. */
export function nameRule(pattern: string): NameRule {
  const below = pattern.startsWith("*.");
  const name = (below ? pattern.slice(2) : pattern).replace(/\.$/, "").toLowerCase();
  if (!/^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(name))
    throw new TypeError(`"${pattern}" is no name that can be allowed, as in intranet.example or *.example`);
  return (host) => {
    const asked = host.replace(/\.$/, "").toLowerCase();
    return below ? asked.endsWith(`.${name}`) : asked === name;
  };
}
