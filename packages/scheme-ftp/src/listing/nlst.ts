import { percentDecode } from "@anyscheme/core/syntax";
import { createEntry } from "./entry.ts";
import type { FtpEntry } from "./listing.ts";
import type { FtpUrl } from "../url/syntax.ts";

const SLASH = 0x2f;
const PATTERN: Uint8Array = new TextEncoder().encode("*?[{");

/**
 * Lines of NLST, each "a pathname" (RFC 959 §4.1.3). Asked for a directory, most servers begin each name with that directory,
 * some do not; asked for a pattern, they give names of the directory walked to.
 */
export function nlstLineParser(list: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  const asked = percentDecode(list.name ?? "");
  const prefix = asked.length === 0 || asked.at(-1) === SLASH ? asked : Uint8Array.from([...asked, SLASH]);
  const isPattern = asked.some((byte) => PATTERN.includes(byte));
  return (line) => {
    const hasPrefix = startsWith(line, prefix);
    const bytes = hasPrefix ? line.subarray(prefix.length) : line;
    const isAskedItself = bytes.length === asked.length && startsWith(bytes, asked);
    const isInside = asked.length > 0 && (hasPrefix || !(isAskedItself || isPattern));
    return createEntry(list, bytes, { kind: "unknown", below: isInside ? [asked] : [] });
  };
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
