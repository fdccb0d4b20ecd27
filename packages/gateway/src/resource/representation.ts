import type { ContentResource } from "@anyscheme/core";
import { charsetOf } from "@anyscheme/core/plugin";
import type { View } from "../request/route.ts";

/** The form in which content is sent: as text in a page, or as bytes. */
export type Representation = { readonly as: "page" } | BytesRepresentation;

export interface BytesRepresentation {
  readonly as: "bytes";
  readonly mediaType: string;
  readonly disposition: "inline" | "attachment";
}

/** Matches media types that a browser displays and that have no scripts. SVG may have scripts. */
const INLINE =
  /^(?:image\/(?:gif|jpeg|png|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|audio\/[\w.+-]+|video\/[\w.+-]+)$/i;
const TEXT =
  /^(?:text\/|message\/|application\/(?:json|xml|javascript|[\w.-]+\+(?:json|xml))$|image\/svg\+xml$)/i;

/** Selects a page for text, and a media type without scripts for bytes. */
export function selectRepresentation({ mediaType }: ContentResource, view: View): Representation {
  const essence = mediaType.replace(/;.*$/s, "").trim();
  if (view === "download") return bytes("application/octet-stream", "attachment");
  if (TEXT.test(essence))
    return view === "raw" ? bytes(`text/plain; charset=${charsetOf(mediaType)}`, "inline") : { as: "page" };
  return INLINE.test(essence)
    ? bytes(essence.toLowerCase(), "inline")
    : bytes("application/octet-stream", "attachment");
}

function bytes(mediaType: string, disposition: "inline" | "attachment"): BytesRepresentation {
  return { as: "bytes", mediaType, disposition };
}
