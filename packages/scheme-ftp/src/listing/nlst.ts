import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpUrl } from "../url/syntax.ts";
import { createEntry } from "./entry.ts";
import type { FtpEntry } from "./listing.ts";

const SLASH = 0x2f;
const WILDCARDS: Uint8Array = new TextEncoder().encode("*?[{");

/**
 * Returns a parser for the lines of an NLST listing, each "a pathname" (RFC 959 §4.1.3). Most servers put the name
 * of a listed directory before each entry. A pattern matches names in the working directory.
 */
export function nlstLineParser(url: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  const argument = percentDecode(url.name ?? "");
  const hasSlash = argument.length === 0 || argument.at(-1) === SLASH;
  const prefix = hasSlash ? argument : Uint8Array.from([...argument, SLASH]);
  const isPattern = argument.some((byte) => WILDCARDS.includes(byte));
  return (line) => {
    const hasPrefix = startsWith(line, prefix);
    const name = hasPrefix ? line.subarray(prefix.length) : line;
    const isArgument = name.length === argument.length && startsWith(name, argument);
    const isInDirectory = argument.length > 0 && (hasPrefix || !(isArgument || isPattern));
    return createEntry(url, name, { kind: "unknown", directories: isInDirectory ? [argument] : [] });
  };
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
