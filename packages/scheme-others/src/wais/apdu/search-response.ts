import type { CoreLimits } from "@anyscheme/core";
import { decodeUtf8OrLatin1, createLimitError } from "@anyscheme/core/plugin";
import { decodeWaisDiagnostic, type WaisDiagnostic } from "./diagnostic.ts";
import {
  type ApduElement,
  indexElementsByTag,
  createMalformedApduError,
  readApduElements,
} from "./elements.ts";
import { findApduHead, WAIS_PDU_TYPES } from "./apdu-head.ts";
import { WAIS_ELEMENT_TAGS } from "./element-tags.ts";

/** The header of a document in the response to a WAIS search. The WAIS server may omit any field of the header. */
export interface WaisDocumentHeader {
  readonly documentId: Uint8Array | undefined;
  /** The relevance of the WAIS document for the search, at most 1000. */
  readonly score: number | undefined;
  /** The length of the WAIS document in its first type, in bytes. */
  readonly length: number | undefined;
  readonly lines: number | undefined;
  /**
   * The types in which the WAIS document is available. The list of document types is empty in responses of the first
   * version of the WAIS protocol.
   */
  readonly types: readonly string[];
  /** The name of the WAIS database that contains the document. */
  readonly source: string | undefined;
  /** The date of the WAIS document as `yymmdd`, or `0` for unknown. */
  readonly date: string | undefined;
  readonly headline: string | undefined;
}

/** A SearchResponse. The decoded WAIS response omits the status, because some servers swap 0 and 1. */
export interface WaisSearchResponse {
  /**
   * True when the WAIS server reports a partial result, or counts more records than the response has. Many WAIS servers
   * do not state the number of found records.
   */
  readonly hasMore: boolean;
  readonly headers: readonly WaisDocumentHeader[];
  /** The document texts in the response, which share the memory of the response. */
  readonly texts: readonly Uint8Array[];
  readonly diagnostics: readonly WaisDiagnostic[];
}

/** The size of the fixed fields of a WAIS response: status, result count, number of records returned, next position. */
const FIXED_FIELD_BYTES = 10;
const RESULT_COUNT_OFFSET = 1;
const RECORDS_RETURNED_OFFSET = 4;

/**
 * Decodes a SearchResponse APDU. Skips unknown elements. Throws `unsupported` for an empty response, `protocol`
 * for a malformed response, and `limit` for more records than `limits.maxListingEntries`.
 */
export function decodeWaisSearchResponse(bytes: Uint8Array, limits: CoreLimits): WaisSearchResponse {
  const { headStart, headEnd } = findApduHead(bytes, WAIS_PDU_TYPES.searchResponse, FIXED_FIELD_BYTES);
  const head = indexElementsByTag(readApduElements(bytes, headStart + FIXED_FIELD_BYTES, headEnd));
  const isPartial = isPartialSearchStatus(head.get(WAIS_ELEMENT_TAGS.PRESENT_STATUS)?.bytes[0] ?? 0);
  const found = readThreeByteNumber(bytes, headStart + RESULT_COUNT_OFFSET);
  const returned = readThreeByteNumber(bytes, headStart + RECORDS_RETURNED_OFFSET);

  const headers: WaisDocumentHeader[] = [];
  const texts: Uint8Array[] = [];
  const diagnostics: WaisDiagnostic[] = [];
  let remaining = limits.maxListingEntries;
  for (const information of readApduElements(bytes, headEnd)) {
    if (information.tag !== WAIS_ELEMENT_TAGS.USER_INFORMATION_LENGTH)
      throw createMalformedApduError(`an unexpected element ${information.tag} follows the head`, headEnd);
    for (const record of information.children()) {
      if (--remaining < 0)
        throw createLimitError("maxListingEntries", limits, "the server's response has too many records");
      if (DOCUMENT_HEADER_GROUP_TAGS.has(record.tag)) headers.push(decodeDocumentHeader(record));
      else if (record.tag === WAIS_ELEMENT_TAGS.DIAGNOSTIC_RECORDS)
        diagnostics.push(decodeWaisDiagnostic(record.bytes));
      else if (record.tag === WAIS_ELEMENT_TAGS.TEXT_GROUP)
        for (const { tag, bytes: text } of record.children())
          if (tag === WAIS_ELEMENT_TAGS.DOCUMENT_TEXT) texts.push(text);
    }
  }
  const received = headers.length + texts.length;
  const hasMore = isPartial || found > received || returned > received + diagnostics.length;
  return { hasMore, headers, texts, diagnostics };
}

/**
 * True when the status of a WAIS search reports a partial result. Z39.50-1988: 0 is success, 1 to 4 are partial
 * results, and 5 is failure.
 */
function isPartialSearchStatus(status: number): boolean {
  return status >= 1 && status <= 4;
}

function readThreeByteNumber(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 65_536 + (bytes[at + 1] ?? 0) * 256 + (bytes[at + 2] ?? 0);
}

const DOCUMENT_HEADER_GROUP_TAGS: ReadonlySet<number> = new Set([
  WAIS_ELEMENT_TAGS.DOCUMENT_HEADER_GROUP,
  WAIS_ELEMENT_TAGS.SHORT_HEADER_GROUP,
  WAIS_ELEMENT_TAGS.LONG_HEADER_GROUP,
  WAIS_ELEMENT_TAGS.HEADLINE_GROUP,
  WAIS_ELEMENT_TAGS.CODES_GROUP,
]);

function decodeDocumentHeader(group: ApduElement): WaisDocumentHeader {
  const fields = indexElementsByTag(group.children());
  const headline = fields.get(WAIS_ELEMENT_TAGS.HEADLINE);
  return {
    documentId: fields.get(WAIS_ELEMENT_TAGS.DOCUMENT_ID)?.bytes,
    score: fields.get(WAIS_ELEMENT_TAGS.SCORE)?.number,
    length: fields.get(WAIS_ELEMENT_TAGS.DOCUMENT_LENGTH)?.number,
    lines: fields.get(WAIS_ELEMENT_TAGS.LINES)?.number,
    types: decodeDocumentTypes(fields.get(WAIS_ELEMENT_TAGS.TYPE_BLOCK)),
    source: fields.get(WAIS_ELEMENT_TAGS.SOURCE)?.latin1,
    date: fields.get(WAIS_ELEMENT_TAGS.DATE)?.latin1,
    headline: headline && decodeUtf8OrLatin1(headline.bytes),
  };
}

function decodeDocumentTypes(block: ApduElement | undefined): string[] {
  const types: string[] = [];
  for (const { tag, latin1 } of block?.children() ?? [])
    if (tag === WAIS_ELEMENT_TAGS.TYPE) types.push(latin1);
  return types;
}
