import { percentDecode } from "@anyscheme/core/syntax";
import { entryOf } from "./entry.ts";
import type { FtpEntry } from "./listing.ts";
import type { FtpUrl } from "./syntax.ts";

const SLASH = 0x2f;
const PATTERN: Uint8Array = new TextEncoder().encode("*?[{");

/**
 * Lines of NLST, each "a pathname" (RFC 959 §4.1.3). Asked for a directory, most servers begin each name with that directory,
 * some do not; asked for a pattern, they give names of the directory walked to.
 */
export function readNameLine(list: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  const asked = percentDecode(list.name ?? "");
  const prefix = asked.length === 0 || asked.at(-1) === SLASH ? asked : Uint8Array.from([...asked, SLASH]);
  const isPattern = asked.some((octet) => PATTERN.includes(octet));
  return (line) => {
    const hasPrefix = startsWith(line, prefix);
    const octets = hasPrefix ? line.subarray(prefix.length) : line;
    const isAskedItself = octets.length === asked.length && startsWith(octets, asked);
    const isInside = asked.length > 0 && (hasPrefix || !(isAskedItself || isPattern));
    return entryOf(list, octets, { kind: "unknown", below: isInside ? [asked] : [] });
  };
}

function startsWith(octets: Uint8Array, start: Uint8Array): boolean {
  return start.every((octet, index) => octets[index] === octet);
}
