import type { ContentResource } from "@anyscheme/core";
import type { View } from "./address.ts";

/** How a content is handed over. */
export type Representation = { readonly as: "text" } | Bytes;

export interface Bytes {
  readonly as: "bytes";
  readonly mediaType: string;
  readonly disposition: "inline" | "attachment";
}

/** What a browser shows by itself, and cannot run anything of. SVG is not among them: it may hold scripts. */
const SHOWN =
  /^(?:image\/(?:gif|jpeg|png|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|audio\/[\w.+-]+|video\/[\w.+-]+)$/i;
const TEXT =
  /^(?:text\/|message\/|application\/(?:json|xml|javascript|[\w.-]+\+(?:json|xml))$|image\/svg\+xml$)/i;

/** Text becomes a page, unless it is asked for as it is; what may run something in a browser is text, or saved. */
export function representationOf({ mediaType }: ContentResource, view: View): Representation {
  const essence = mediaType.replace(/;.*$/s, "").trim();
  const text = TEXT.test(essence);
  if (view === "download")
    return { as: "bytes", mediaType: "application/octet-stream", disposition: "attachment" };
  if (view !== "raw" && text) return { as: "text" };
  if (text)
    return { as: "bytes", mediaType: `text/plain; charset=${charsetOf(mediaType)}`, disposition: "inline" };
  if (SHOWN.test(essence)) return { as: "bytes", mediaType: essence.toLowerCase(), disposition: "inline" };
  return { as: "bytes", mediaType: "application/octet-stream", disposition: "attachment" };
}

/** The charset of a media type that this platform can decode; else UTF-8. */
export function charsetOf(mediaType: string): string {
  const named = /;\s*charset="?([\w.:-]+)/i.exec(mediaType)?.[1] ?? "utf-8";
  if (named === "utf-8") return named;
  try {
    return new TextDecoder(named).encoding;
  } catch {
    return "utf-8";
  }
}
