import type { Hierarchy } from "./syntax.ts";
import type { Url } from "./url.ts";

/** Authority, path and search, each with its mark. Where "?" does not end a path it is a character like others. */
const parts: Readonly<Record<Hierarchy, RegExp>> = {
  path: /^(\/\/[^/#]*)?([^#]*)()/,
  "path-and-search": /^(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/,
};

/**
 * The text of the URL that a relative reference stands for, seen from a base. Only URLs with a hierarchy have any
 * (RFC 1738 §2.3: "such as the ftp, http, and file schemes"); the steps are those of RFC 3986 §5.2.2, and this is the only
 * place where dot segments mean anything. A reference with a scheme comes back as it is.
 */
export function resolveReference(base: Url, hierarchy: Hierarchy | undefined, reference: string): string {
  if (hierarchy === undefined || /^[A-Za-z0-9+.-]+:/.test(reference)) return reference;
  const start = base.scheme.length + 1;
  const [, baseAuthority = "", basePath = "", baseSearch] =
    parts[hierarchy].exec(base.href.slice(start)) ?? [];
  let [whole = "", authority, path = "", search] = parts[hierarchy].exec(reference) ?? [];
  if (authority === undefined && path === "") {
    path = search ? basePath || "/" : basePath;
    search ||= baseSearch;
  } else if (path !== "") {
    const isRelative = authority === undefined && !path.startsWith("/");
    path = removeDotSegments(isRelative ? basePath.slice(0, basePath.lastIndexOf("/") + 1) + path : path);
  }
  authority ??= baseAuthority;
  // Without an authority, a path that begins with "//" would be read as one.
  if (authority === "" && path.startsWith("//")) authority = "//";
  return `${base.scheme}:${authority}${path}${search ?? ""}${reference.slice(whole.length)}`;
}

// RFC 3986 §5.2.4; an encoded dot is a dot as well, so that no ".." survives in another spelling.
function removeDotSegments(path: string): string {
  const kept: string[] = [];
  let last = "";
  for (const segment of path.replace(/^\//, "").split("/")) {
    last = segment.replace(/%2e/gi, ".");
    if (last === "..") kept.pop();
    else if (last !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}${kept.length > 0 && /^\.\.?$/.test(last) ? "/" : ""}`;
}
