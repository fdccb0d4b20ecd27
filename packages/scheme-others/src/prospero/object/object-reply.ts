import { AccessError } from "@anyscheme/core";
import { toProsperoUrl } from "../directory/entry.ts";
import type { Attribute, ReplyLine, Link } from "../protocol/reply-line.ts";
import { failureError } from "../protocol/failure.ts";
import type { ProsperoUrl } from "../syntax.ts";

/** What a server says of an object: its attributes; or where it is, perhaps in part; or that it knows of none. */
export type ObjectReply =
  | { readonly kind: "object"; readonly attributes: readonly Attribute[] }
  | { readonly kind: "elsewhere"; readonly url: ProsperoUrl }
  | { readonly kind: "unknown"; readonly refusal: AccessError };

/** Judges a whole reply. Throws what the server refuses with, and `unsupported` for a place that has no URL. */
export function parseObjectReply(lines: readonly ReplyLine[]): ObjectReply {
  const attributes: Attribute[] = [];
  for (const line of lines) {
    if (line.kind === "attribute") attributes.push(line);
    const url = forwardTarget(line, lines);
    if (url) return { kind: "elsewhere", url };
    if (line.kind !== "failure") continue;
    const error = failureError(line);
    if (error.code !== "not-found") throw error;
    return { kind: "unknown", refusal: error };
  }
  return { kind: "object", attributes };
}

/** The URL that a line sends us on to, if it is such a line. */
export function forwardTarget(line: ReplyLine, lines: readonly ReplyLine[]): ProsperoUrl | undefined {
  if (line.kind === "forwarded") return requireUrl(toProsperoUrl(line.location, line.version));
  if (line.kind !== "unresolved") return undefined;
  // "The rest of the path must be asked at the targets of the links above."
  const link = lines.find((each): each is Link => each.kind === "link");
  if (!link || link.fault !== undefined)
    throw new AccessError("protocol", "the server leaves a path unresolved, and says not where");
  const { location: place, version } = link;
  const rest = line.components.join("/");
  const hsoname = `${place.hsoname}${place.hsoname.endsWith("/") ? "" : "/"}${rest}`;
  return requireUrl(toProsperoUrl({ ...place, hsoname }, version));
}

function requireUrl(url: ProsperoUrl | undefined): ProsperoUrl {
  if (!url) throw new AccessError("unsupported", "the object is at a place that no URL can name");
  return url;
}
