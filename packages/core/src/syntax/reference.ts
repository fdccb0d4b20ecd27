import { trimWhiteSpace } from "./characters/characters.ts";
import type { UrlHierarchy } from "./syntax.ts";
import type { Url } from "./url.ts";

/**
 * Matches the authority with its "//", the path, and the search with its "?". The character "?" belongs to the path in
 * a hierarchy of kind `path`.
 */
const referencePartPatterns: Readonly<Record<UrlHierarchy, RegExp>> = {
  path: /^(\/\/[^/#]*)?([^#]*)()/,
  "path-and-search": /^(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/,
};

/**
 * Resolves a relative reference against a base URL, and returns the text of the URL. Only URLs with a hierarchy have
 * relative references (RFC 1738 §2.3: "such as the ftp, http, and file schemes"). The resolution follows the steps of
 * RFC 3986 §5.2.2. Dot segments are removed only if the reference has a path. White space around the reference is
 * removed. A reference with a scheme is returned unchanged. A URL without a hierarchy has only references to itself and
 * its fragments (§4.4).
 */
export function resolveReference(
  base: Pick<Url, "scheme" | "href">,
  hierarchy: UrlHierarchy | undefined,
  given: string,
): string {
  const reference = trimWhiteSpace(given);
  if (/^[A-Za-z0-9+.-]+:/.test(reference)) return reference;
  if (hierarchy === undefined)
    return /^(?:#|$)/.test(reference) ? base.href.replace(/#.*$/s, "") + reference : reference;
  const start = base.scheme.length + 1;
  const [, baseAuthority = "", basePath = "", baseSearch] =
    referencePartPatterns[hierarchy].exec(base.href.slice(start)) ?? [];
  let [whole = "", authority, path = "", search] = referencePartPatterns[hierarchy].exec(reference) ?? [];
  if (authority === undefined && path === "") {
    path = search ? basePath || (baseAuthority && "/") : basePath;
    search ||= baseSearch;
  } else if (path !== "") {
    const isRelative = authority === undefined && !path.startsWith("/");
    const merged = isRelative ? basePath.slice(0, basePath.lastIndexOf("/") + 1) + path : path;
    path = removeDotSegments(merged);
    // A base without an authority, such as "x:a/b", may have a path without a first "/".
    if (isRelative && baseAuthority === "" && !merged.startsWith("/")) path = path.slice(1);
  }
  authority ??= baseAuthority;
  // A path that begins with "//" would be read as an authority.
  if (authority === "" && path.startsWith("//")) authority = "//";
  return `${base.scheme}:${authority}${path}${search ?? ""}${reference.slice(whole.length)}`;
}

/**
 * Removes dot segments (RFC 3986 §5.2.4). An escaped dot counts as a dot, so that no spelling of ".." remains. `isRoot`
 * is true for a first segment that ".." does not remove, such as a drive. Default: no segment.
 */
export function removeDotSegments(path: string, isRoot: (segment: string) => boolean = () => false): string {
  const kept: string[] = [];
  let last = "";
  for (const segment of path.replace(/^\//, "").split("/")) {
    last = segment.replace(/%2e/gi, ".");
    if (last === "..") {
      if (kept.length !== 1 || !isRoot(kept[0] ?? "")) kept.pop();
    } else if (last !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}${kept.length > 0 && /^\.\.?$/.test(last) ? "/" : ""}`;
}
