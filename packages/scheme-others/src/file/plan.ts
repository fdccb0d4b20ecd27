import { AccessError, makePlan, type Plan, type Step, step } from "@anyscheme/core";
import { decodeOctets } from "@anyscheme/core/syntax";
import type { FileUrl } from "./syntax.ts";

/** A plan for a file: the names to open, one below the other, and the octets of each name. */
export interface FilePlan extends Plan<FileUrl> {
  readonly names: readonly Uint8Array[];
}

/**
 * RFC 1738 §3.10. Segments are decoded once. Throws `unsupported` for another host, and `refused-octets` for what is no name
 * of one directory entry.
 */
export function planFile(url: FileUrl): FilePlan {
  if (!url.isLocal) {
    const advice = "the scheme names no protocol to reach other hosts by";
    throw new AccessError("unsupported", `the file is on ${url.host}`, { advice });
  }
  const names = url.segments.map(decodeOctets);
  names.forEach((name, index) => checkName(name, index === names.length - 1));
  const path = url.segments.join("/");
  const steps: Step[] = [
    step("open", "3.10", `/${path}`),
    step("transfer", "3.10", "the octets of the file, or the names in the directory"),
    step("close", "3.10", "the file"),
  ];
  return Object.freeze({ ...makePlan(url, steps), names });
}

function checkName(name: Uint8Array, last: boolean): void {
  const refuse = (what: string): never => {
    throw new AccessError("refused-octets", `a segment of the path ${what}`);
  };
  if (name.length === 0 && !last) refuse("is empty");
  if (name.includes(0)) refuse("holds NUL");
  if (name.includes(0x2f)) refuse('holds an encoded "/"');
  const text = new TextDecoder().decode(name);
  if (text === "." || text === "..") refuse(`is "${text}"`);
}
