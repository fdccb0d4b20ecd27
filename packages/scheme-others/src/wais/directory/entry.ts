import { type Entry, type Url, UrlSyntaxError } from "@anyscheme/core";
import { utcDate } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { DocumentHeader } from "../apdu/response.ts";
import { waisSyntax, type WaisUrl } from "../syntax.ts";
import { DEFAULT_WTYPE, type Wtype, lookupWtype } from "../document/wtypes.ts";

/** A document that a search has found. RFC 1738 §3.9. */
export interface WaisEntry extends Entry {
  /** The headline. */
  readonly name: string;
  /** What its first type means. A link is a document of type URL, whose headline is the URL. */
  readonly kind: Wtype["kind"];
  /** The document as its first type: `wais://<host>/<database>/<wtype>/<wpath>`, its wpath the document-id; or where a link leads. */
  readonly url: Url | undefined;
  /** The bytes of its first type. */
  readonly size: number | undefined;
  readonly modified: Date | undefined;
  /** How well it fits what was searched for: 1000 is the best. */
  readonly score: number | undefined;
  readonly lines: number | undefined;
  /** The types that it can be fetched as. */
  readonly types: readonly string[];
  /** The database, as the server calls it. */
  readonly source: string | undefined;
  /** The bytes by which the server knows the document. */
  readonly documentId: Uint8Array | undefined;
  /** The URL of the document as one of its types. */
  readonly urlAs: (type: string) => WaisUrl | undefined;
}

/** A document-id of so many bytes, each of them escaped, still fits into a URL. */
const MAX_ID_BYTES = 16_384;

/** The entry for a document that a search in the database of `origin` has found. `parse` reads where a link leads. */
export function createEntry(
  header: DocumentHeader,
  origin: WaisUrl,
  parse: (text: string) => Url,
): WaisEntry {
  const { headline = "", documentId, score, length, lines, source } = header;
  const types = header.types.length > 0 ? header.types : [DEFAULT_WTYPE];
  const [first = DEFAULT_WTYPE] = types;
  const { kind } = lookupWtype(first);
  const urlAs = (type: string): WaisUrl | undefined => documentUrl(origin, type, documentId);
  return Object.freeze({
    name: headline,
    kind,
    url: kind === "link" ? parseLink(headline, parse) : urlAs(first),
    size: length,
    modified: parseDate(header.date),
    score,
    lines,
    types,
    source,
    documentId,
    urlAs,
  });
}

function documentUrl(
  origin: WaisUrl,
  wtype: string,
  documentId: Uint8Array | undefined,
): WaisUrl | undefined {
  if (!documentId || documentId.length > MAX_ID_BYTES || wtype.length > MAX_ID_BYTES) return undefined;
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

function parseLink(headline: string, parse: (text: string) => Url): Url | undefined {
  try {
    return parse(headline.trim());
  } catch (error) {
    if (error instanceof UrlSyntaxError) return undefined;
    throw error;
  }
}

/** `yymmdd`; the protocol is from 1990, and no document of it from before 1970. */
function parseDate(text: string | undefined): Date | undefined {
  const digits = /^(\d\d)(\d\d)(\d\d)$/.exec(text ?? "");
  if (!digits) return undefined;
  const [year = 0, month = 0, day = 0] = digits.slice(1).map(Number);
  return utcDate(year < 70 ? 2000 + year : 1900 + year, month, day);
}
