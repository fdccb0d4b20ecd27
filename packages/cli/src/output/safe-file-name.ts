import type { Url } from "@anyscheme/core";
import { percentDecodeText } from "@anyscheme/core/syntax";

/** The device names that Windows reserves in every folder, with any suffix. */
const WINDOWS_DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** The names of URL components whose last part is a file name. */
const FILE_NAME_URL_COMPONENTS = [
  "name",
  "segments",
  "path",
  "selector",
  "urlPath",
  "hsoname",
  "article",
  "group",
  "schemePart",
] as const;

/**
 * Returns the last part of the URL path as a file name: decoded, without unsafe characters. Returns `undefined` when
 * the file name would be empty.
 */
export function getFileNameFromUrl(
  url: Url,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const name = decodeLastPathPart(url);
  return name === undefined ? undefined : toSafeFileName(name, platform);
}

/**
 * Replaces the dot at the start of a file name by "_". The author of a URL cannot choose the name of a hidden file,
 * such as `.bashrc`, which programs read. Some file systems ignore Unicode format characters before the dot.
 */
export function replaceLeadingDot(name: string): string {
  return name.replace(/^\p{Cf}*\./u, "_");
}

/** Returns the last part of the URL path, decoded but not made safe. Returns `undefined` for a URL without a path. */
export function decodeLastPathPart(url: Url): string | undefined {
  const components = url.components();
  for (const name of FILE_NAME_URL_COMPONENTS) {
    const path = components[name];
    const last: unknown = Array.isArray(path) ? path.at(-1) : path;
    if (typeof last === "string") return percentDecodeText(last).replace(/^.*\//s, "");
  }
  return undefined;
}

/**
 * Converts text to a safe file name: removes directories and leading dashes, and replaces control characters. Returns
 * `undefined` when the safe file name would be empty, `.` or `..`.
 */
export function toSafeFileName(
  text: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const last = text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1);
  let name = last
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "_")
    .replace(/^[-~\s]+/, "");
  if (platform === "win32") name = removeFinalDotsAndBlanks(name.replace(/[<>:"|?*]/g, "_"));
  if (WINDOWS_DEVICES.test(name)) name = `_${name}`;
  return /^\.{0,2}$/.test(name) ? undefined : name;
}

/** Removes the dots and blanks at the end of a name, which Windows ignores. */
function removeFinalDotsAndBlanks(name: string): string {
  let end = name.length;
  while (end > 0 && ". ".includes(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** Truncates a name to a maximum number of UTF-8 bytes. Never separates the UTF-8 bytes of one character. */
export function truncateToUtf8Bytes(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const buffer = new Uint8Array(maxBytes);
  return name.slice(0, new TextEncoder().encodeInto(name, buffer).read);
}
