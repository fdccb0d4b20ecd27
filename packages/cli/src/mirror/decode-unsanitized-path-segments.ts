import type { Url } from "@anyscheme/core";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";

/**
 * Returns the decoded path segments from a directory to a URL below the directory. Returns `undefined` for a URL on
 * another server or outside the directory. The path segments come from the server and may contain any character.
 */
export function decodeUnsanitizedSegmentsBelow(directory: Url, url: Url): readonly string[] | undefined {
  // A news URL names no server. The articles of a newsgroup have nntp URLs with the server that lists the articles.
  const isArticleOfNews = /^s?news$/.test(directory.scheme) && /^nntps?$/.test(url.scheme);
  if (!isArticleOfNews && formatServerAndUserKey(url) !== formatServerAndUserKey(directory)) return undefined;
  const base = decodePathSegments(directory);
  const path = decodePathSegments(url);
  if (!base || !path) return undefined;
  if (base.at(-1) === "") base.pop();
  if (path.at(-1) === "") path.pop();
  if (path.length <= base.length || base.some((name, index) => path[index] !== name)) return undefined;
  return path.slice(base.length);
}

/** Returns the last non-empty path segment of a URL, decoded. Returns `undefined` for a URL without a path. */
export function decodeLastPathSegment(url: Url): string | undefined {
  return decodePathSegments(url)?.findLast((name) => name !== "");
}

/** True when the scheme of a URL has paths from which `get -r` makes the paths of local files. */
export function hasMirrorablePath(url: Url): boolean {
  return decodePathSegments(url) !== undefined;
}

/** Returns a text that identifies the server and the login of a URL: scheme, user, host and port. */
export function formatServerAndUserKey(url: Url): string {
  const { host = "", user = "" } = url.components() as { host?: string; user?: string };
  const port = "effectivePort" in url ? Number(url.effectivePort) : 0;
  return `${url.scheme} ${user} ${host.toLowerCase()} ${port}`;
}

/** Returns the decoded path segments of a URL. Returns `undefined` for a scheme whose paths are unknown. */
function decodePathSegments(url: Url): string[] | undefined {
  // The entries of a local directory have URLs without dot segments.
  const { resolvedSegments } = url as { readonly resolvedSegments?: readonly string[] };
  const components = url.components() as {
    cwd?: readonly string[];
    name?: string;
    selector?: string;
    type?: string;
    hsoname?: string;
    group?: string;
    article?: string;
  };
  const { cwd, name, selector = "", type, hsoname, group, article } = components;
  if ("group" in components)
    return [group, article].flatMap((part) => (part === undefined || part === "*" ? [] : [decodeName(part)]));
  if (resolvedSegments) return resolvedSegments.map(decodeName);
  if (cwd) return [...cwd, name ?? ""].map(decodeName);
  if (hsoname !== undefined) return splitObjectName(decodeName(hsoname));
  return "selector" in components ? splitSelector(decodeName(selector), type) : undefined;
}

/**
 * Percent-decodes a path segment of a URL as UTF-8. Different file names have different decoded texts: in a name that
 * is not UTF-8, each byte above 127 becomes a lone surrogate (U+DC80 to U+DCFF), which no other name has.
 */
function decodeName(component: string): string {
  const text = percentDecodeText(component);
  if (!text.includes("\ufffd")) return text;
  const bytes = percentDecode(component);
  if (Buffer.from(text).equals(bytes)) return text;
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join("");
}

/**
 * Splits a Gopher selector into path segments. Each server defines the format of its selectors (RFC 1436 §2). Most
 * selectors are paths. Some Gopher selectors begin with an item type before the path.
 */
function splitSelector(selector: string, type: string | undefined): string[] {
  const names = selector.split("/");
  if (names.length > 1 && (names[0] === "" || names[0] === type)) names.shift();
  return names;
}

/**
 * Splits a host-specific object name of Prospero into path segments. Most Prospero servers use file paths, which begin
 * with a slash, as object names.
 */
function splitObjectName(name: string): string[] {
  return name.replace(/^\//, "").split("/");
}
