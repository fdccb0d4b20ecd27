import { AccessError } from "@anyscheme/core";
import { prosperoUrlOf } from "../directory/entry.ts";
import type { Attribute, Line, Link } from "../protocol/reply-line.ts";
import { refusal } from "../protocol/failure.ts";
import type { ProsperoUrl } from "../syntax.ts";

/** What a server says of an object: its attributes; or where it is, perhaps in part; or that it knows of none. */
export type Answer =
  | { readonly kind: "object"; readonly attributes: readonly Attribute[] }
  | { readonly kind: "elsewhere"; readonly url: ProsperoUrl }
  | { readonly kind: "unknown"; readonly refusal: AccessError };

/** Judges a whole reply. Throws what the server refuses with, and `unsupported` for a place that has no URL. */
export function answerOf(lines: readonly Line[]): Answer {
  const attributes: Attribute[] = [];
  for (const line of lines) {
    if (line.kind === "attribute") attributes.push(line);
    const url = elsewhere(line, lines);
    if (url) return { kind: "elsewhere", url };
    if (line.kind !== "failure") continue;
    const error = refusal(line);
    if (error.code !== "not-found") throw error;
    return { kind: "unknown", refusal: error };
  }
  return { kind: "object", attributes };
}

/** The URL that a line sends us on to, if it is such a line. */
export function elsewhere(line: Line, lines: readonly Line[]): ProsperoUrl | undefined {
  if (line.kind === "forwarded") return checked(prosperoUrlOf(line.place, line.version));
  if (line.kind !== "unresolved") return undefined;
  // "The rest of the path must be asked at the targets of the links above."
  const link = lines.find((each): each is Link => each.kind === "link");
  if (!link || link.fault !== undefined)
    throw new AccessError("protocol", "the server leaves a path unresolved, and says not where");
  const { place, version } = link;
  const rest = line.components.join("/");
  const hsoname = `${place.hsoname}${place.hsoname.endsWith("/") ? "" : "/"}${rest}`;
  return checked(prosperoUrlOf({ ...place, hsoname }, version));
}

function checked(url: ProsperoUrl | undefined): ProsperoUrl {
  if (!url) throw new AccessError("unsupported", "the object is at a place that no URL can name");
  return url;
}
