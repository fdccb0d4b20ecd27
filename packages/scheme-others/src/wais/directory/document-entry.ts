import { type DirectoryEntry, type Url, UrlSyntaxError } from "@anyscheme/core";
import { createUtcDate } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { WaisDocumentHeader } from "../apdu/search-response.ts";
import { waisSyntax, type WaisUrl } from "../syntax.ts";
import {
  WAIS_DOCUMENT_TYPE_IF_SERVER_SENDS_NONE,
  type WtypeKindAndMediaType,
  getKindAndMediaTypeOfWtype,
} from "../document/wtypes.ts";

/** A document that a search has found (RFC 1738 §3.9). */
export interface WaisEntry extends DirectoryEntry {
  /** The headline. */
  readonly name: string;
  /**
   * The kind that the first type of the WAIS document implies. A link is a document of type URL, whose headline is the
   * URL.
   */
  readonly kind: WtypeKindAndMediaType["kind"];
  /**
   * The URL of the document with its first type, or the target of a link. The form is
   * `wais://<host>/<database>/<wtype>/<document-id>`.
   */
  readonly url: Url | undefined;
  /** The size of the WAIS document's first type, in bytes. */
  readonly size: number | undefined;
  readonly modified: Date | undefined;
  /** The relevance of the WAIS document for the search, at most 1000. */
  readonly score: number | undefined;
  readonly lines: number | undefined;
  /** The WAIS types in which the document is available. */
  readonly types: readonly string[];
  /** The server's name of the document's database. */
  readonly source: string | undefined;
  /** The bytes with which the WAIS server identifies the document. */
  readonly documentId: Uint8Array | undefined;
  /** Builds the wais URL that requests the document as the given type. */
  readonly urlForType: (type: string) => WaisUrl | undefined;
}

/**
 * The maximum size of a document-id in the URL of an entry, in bytes. A longer document-id may not fit into a URL with
 * all bytes escaped.
 */
const MAX_DOCUMENT_ID_BYTES = 16_384;

/**
 * Creates the directory entry for a WAIS document in the database of `origin`. `parse` parses the URL in a document of
 * type URL.
 */
export function documentHeaderToWaisEntry(
  header: WaisDocumentHeader,
  origin: WaisUrl,
  parse: (text: string) => Url,
): WaisEntry {
  const { headline = "", documentId, score, length, lines, source } = header;
  const types = header.types.length > 0 ? header.types : [WAIS_DOCUMENT_TYPE_IF_SERVER_SENDS_NONE];
  const [first = WAIS_DOCUMENT_TYPE_IF_SERVER_SENDS_NONE] = types;
  const { kind } = getKindAndMediaTypeOfWtype(first);
  const urlForType = (type: string): WaisUrl | undefined => buildDocumentUrl(origin, type, documentId);
  return Object.freeze({
    name: headline,
    kind,
    url: kind === "link" ? parseHeadlineAsUrl(headline, parse) : urlForType(first),
    size: length,
    modified: parseDocumentDate(header.date),
    score,
    lines,
    types,
    source,
    documentId,
    urlForType,
  });
}

function buildDocumentUrl(
  origin: WaisUrl,
  wtype: string,
  documentId: Uint8Array | undefined,
): WaisUrl | undefined {
  if (!documentId || documentId.length > MAX_DOCUMENT_ID_BYTES || wtype.length > MAX_DOCUMENT_ID_BYTES)
    return undefined;
  const { host, port } = origin;
  const type = Buffer.from(wtype, "latin1");
  return waisSyntax.build({
    host,
    port,
    database: percentDecode(origin.database),
    wtype: type,
    wpath: documentId,
  });
}

function parseHeadlineAsUrl(headline: string, parse: (text: string) => Url): Url | undefined {
  try {
    return parse(headline.trim());
  } catch (error) {
    if (error instanceof UrlSyntaxError) return undefined;
    throw error;
  }
}

/**
 * Parses the date `yymmdd` of a WAIS document as a date from 1970 on. WAIS is from 1990, so the years 00 to 69 mean
 * 2000 to 2069.
 */
function parseDocumentDate(text: string | undefined): Date | undefined {
  const digits = /^(\d\d)(\d\d)(\d\d)$/.exec(text ?? "");
  if (!digits) return undefined;
  const [year = 0, month = 0, day = 0] = digits.slice(1).map(Number);
  return createUtcDate(year < 70 ? 2000 + year : 1900 + year, month, day);
}
