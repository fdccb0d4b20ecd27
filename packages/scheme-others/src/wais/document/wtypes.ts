/** The entry kind and media type of a WAIS document type. */
export interface WtypeKindAndMediaType {
  /** The property `kind` of a directory entry for a document of this type. */
  readonly kind: "text" | "html" | "source" | "image" | "link" | "document";
  readonly mediaType: string;
}

/** The document types that browsers support, and the types that indexers assign to images and print files. */
const WTYPES: Readonly<Record<string, WtypeKindAndMediaType>> = {
  TEXT: { kind: "text", mediaType: "text/plain" },
  HTML: { kind: "html", mediaType: "text/html" },
  WSRC: { kind: "source", mediaType: "application/x-wais-source" },
  GIF: { kind: "image", mediaType: "image/gif" },
  JPEG: { kind: "image", mediaType: "image/jpeg" },
  TIFF: { kind: "image", mediaType: "image/tiff" },
  PS: { kind: "document", mediaType: "application/postscript" },
  URL: { kind: "link", mediaType: "text/plain" },
};

const UNKNOWN_WTYPE: WtypeKindAndMediaType = { kind: "document", mediaType: "application/octet-stream" };

/**
 * Returns the entry kind and media type of a WAIS document type. The media type of an unknown WAIS type is
 * `application/octet-stream`.
 */
export function getKindAndMediaTypeOfWtype(name: string): WtypeKindAndMediaType {
  return Object.hasOwn(WTYPES, name) ? (WTYPES[name] ?? UNKNOWN_WTYPE) : UNKNOWN_WTYPE;
}

/** The type of a WAIS document if the server sends none. */
export const WAIS_DOCUMENT_TYPE_IF_SERVER_SENDS_NONE = "TEXT";
