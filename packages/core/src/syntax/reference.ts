import type { Hierarchy } from "./syntax.ts";
import type { Url } from "./url.ts";

/**
 * The text of the URL that a relative reference stands for, seen from a base. Only URLs with a hierarchy have any
 * (RFC 1738 §2.3: "such as the ftp, http, and file schemes"); the steps are those of RFC 3986 §5.2.2, and this is the only
 * place where dot segments mean anything. A reference with a scheme comes back as it is.
 */
export function resolveReference(base: Url, hierarchy: Hierarchy | undefined, reference: string): string {
  if (/^[A-Za-z0-9+.-]+:/.test(reference) || hierarchy === undefined) return reference;
  const head = `${base.scheme}:`;
  const { authority, path, search } = split(cut(base.href.slice(head.length), "#")[0], hierarchy);
  const [target, fragment] = cut(reference, "#");
  if (target.startsWith("//")) {
    const other = split(target, hierarchy);
    return `${head}${other.authority}${other.path && removeDotSegments(other.path)}${other.search}${fragment}`;
  }
  if (target === "") return `${head}${authority}${path}${search}${fragment}`;
  const [targetPath, targetSearch] = hierarchy === "path" ? [target, ""] : cut(target, "?");
  if (targetPath === "") return `${head}${authority}${path || "/"}${targetSearch}${fragment}`;
  const merged = targetPath.startsWith("/")
    ? targetPath
    : path.slice(0, path.lastIndexOf("/") + 1) + targetPath;
  const resolved = removeDotSegments(merged.startsWith("/") ? merged : `/${merged}`);
  // Without an authority, a path that begins with "//" would be read as one.
  const before = authority === "" && resolved.startsWith("//") ? "//" : authority;
  return `${head}${before}${resolved}${targetSearch}${fragment}`;
}

function split(text: string, hierarchy: Hierarchy): { authority: string; path: string; search: string } {
  const [before, search] = hierarchy === "path" ? [text, ""] : cut(text, "?");
  const slash = before.startsWith("//") ? before.indexOf("/", 2) : 0;
  const authority = slash < 0 ? before : before.slice(0, slash);
  return { authority, path: before.slice(authority.length), search };
}

/** The text before the first mark, and the rest from the mark on. */
function cut(text: string, mark: string): [before: string, from: string] {
  const index = text.indexOf(mark);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index)];
}

// RFC 3986 §5.2.4; an encoded dot is a dot as well, so that no ".." survives in another spelling.
function removeDotSegments(path: string): string {
  const kept: string[] = [];
  const segments = path.split("/").slice(1);
  segments.forEach((segment, index) => {
    const plain = segment.replace(/%2e/gi, ".");
    const dots = plain === "." || plain === "..";
    if (plain === "..") kept.pop();
    if (!dots) kept.push(segment);
    else if (index === segments.length - 1) kept.push("");
  });
  return `/${kept.join("/")}`;
}
