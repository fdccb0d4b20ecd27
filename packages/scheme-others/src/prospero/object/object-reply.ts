import { AccessError } from "@anyscheme/core";
import { toProsperoUrl } from "../directory/entry.ts";
import {
  type ProsperoAttribute,
  createProsperoFailureError,
  type ProsperoLink,
  type ProsperoReplyLine,
} from "../protocol/reply-line.ts";
import type { ProsperoUrl } from "../syntax.ts";

/**
 * The Prospero server's description of an object: its attributes, its location on another server, or the error if the
 * object does not exist.
 */
export type ProsperoObjectReply =
  | { readonly kind: "object"; readonly attributes: readonly ProsperoAttribute[] }
  | { readonly kind: "forwarded"; readonly url: ProsperoUrl }
  | { readonly kind: "not-found"; readonly error: AccessError };

/**
 * Interprets a whole Prospero reply with the attributes of an object. Throws the failure that the Prospero server
 * reports, and `unsupported` for a location that no URL can name.
 */
export function parseObjectReply(lines: readonly ProsperoReplyLine[]): ProsperoObjectReply {
  const attributes: ProsperoAttribute[] = [];
  for (const line of lines) {
    if (line.kind === "attribute") attributes.push(line);
    const url = findProsperoForwardUrl(line, lines);
    if (url) return { kind: "forwarded", url };
    if (line.kind !== "failure") continue;
    const error = createProsperoFailureError(line);
    if (error.code !== "not-found") throw error;
    return { kind: "not-found", error };
  }
  return { kind: "object", attributes };
}

/** Returns the URL to which a Prospero reply line forwards the request, or `undefined` for another line. */
export function findProsperoForwardUrl(
  line: ProsperoReplyLine,
  lines: readonly ProsperoReplyLine[],
): ProsperoUrl | undefined {
  if (line.kind === "forwarded") return requireLocationUrl(toProsperoUrl(line.location, line.version));
  if (line.kind !== "unresolved") return undefined;
  // The rest of the path must be requested from the target of the first link in the reply.
  const link = lines.find((each): each is ProsperoLink => each.kind === "link");
  if (!link || link.fault !== undefined)
    throw new AccessError(
      "protocol",
      "the server did not resolve the path, and sent no link to continue with",
    );
  const { location, version } = link;
  const rest = line.components.join("/");
  const hsoname = `${location.hsoname}${location.hsoname.endsWith("/") ? "" : "/"}${rest}`;
  return requireLocationUrl(toProsperoUrl({ ...location, hsoname }, version));
}

function requireLocationUrl(url: ProsperoUrl | undefined): ProsperoUrl {
  if (!url) throw new AccessError("unsupported", "no URL can name the location of the object");
  return url;
}
