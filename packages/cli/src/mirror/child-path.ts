import type { Url } from "@anyscheme/core";
import { percentDecodeText } from "@anyscheme/core/syntax";

/**
 * The names that lead from a directory down to a URL, decoded; `undefined` for a URL of another server and for one that is not
 * below the directory. A name may be anything: it is data from a server.
 */
export function childPath(directory: Url, url: Url): readonly string[] | undefined {
  // The client chooses the server of a news URL; articles are named by the server that has them.
  const isOfNews = directory.scheme === "news" && /^nntps?$/.test(url.scheme);
  if (!isOfNews && serverKey(url) !== serverKey(directory)) return undefined;
  const top = pathNames(directory);
  const path = pathNames(url);
  if (top.at(-1) === "") top.pop();
  if (path.at(-1) === "") path.pop();
  if (path.length <= top.length || top.some((name, index) => path[index] !== name)) return undefined;
  return path.slice(top.length);
}

/** The last name of a URL's path, decoded; `undefined` when it has none. */
export function lastName(url: Url): string | undefined {
  return pathNames(url).findLast((name) => name !== "");
}

/** Whom an access of this URL asks, as whom: scheme, login, host and port. */
export function serverKey(url: Url): string {
  const { host = "", user = "" } = url.components() as { host?: string; user?: string };
  const port = "effectivePort" in url ? Number(url.effectivePort) : 0;
  return `${url.scheme} ${user} ${host.toLowerCase()} ${port}`;
}

function pathNames(url: Url): string[] {
  const { cwd, name, segments, selector, type, group, article } = url.components() as {
    cwd?: readonly string[];
    name?: string;
    segments?: readonly string[];
    selector?: string;
    type?: string;
    group?: string;
    article?: string;
  };
  if (group !== undefined)
    return [group, article].flatMap((part) =>
      part === undefined || part === "*" ? [] : [percentDecodeText(part)],
    );
  if (segments) return segments.map(percentDecodeText);
  if (cwd) return [...cwd, name ?? ""].map(percentDecodeText);
  return selectorPath(percentDecodeText(selector ?? ""), type);
}

/** A selector is the server's own affair (RFC 1436 §2); nearly all of them are paths, some with the item type before it. */
function selectorPath(selector: string, type: string | undefined): string[] {
  const path = selector.split("/");
  if (path.length > 1 && (path[0] === "" || path[0] === type)) path.shift();
  return path;
}
