/** What a type of a document means. */
export interface Wtype {
  /** One word for it, the `kind` of an entry. */
  readonly kind: "text" | "html" | "source" | "image" | "link" | "document";
  readonly mediaType: string;
}

/** The types that browsers knew, and pictures and print by the names that indexers gave them. */
const WTYPES: Readonly<Record<string, Wtype>> = {
  TEXT: { kind: "text", mediaType: "text/plain" },
  HTML: { kind: "html", mediaType: "text/html" },
  WSRC: { kind: "source", mediaType: "application/x-wais-source" },
  GIF: { kind: "image", mediaType: "image/gif" },
  JPEG: { kind: "image", mediaType: "image/jpeg" },
  TIFF: { kind: "image", mediaType: "image/tiff" },
  PS: { kind: "document", mediaType: "application/postscript" },
  URL: { kind: "link", mediaType: "text/plain" },
};

const UNKNOWN: Wtype = { kind: "document", mediaType: "application/octet-stream" };

/** What is known of a type; for one that is not known, bytes. */
export function lookupWtype(name: string): Wtype {
  return Object.hasOwn(WTYPES, name) ? (WTYPES[name] ?? UNKNOWN) : UNKNOWN;
}

/** The type of a document for which the server names none. */
export const DEFAULT_WTYPE = "TEXT";
