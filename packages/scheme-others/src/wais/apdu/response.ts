import type { Limits } from "@anyscheme/core";
import { limitError, latin1ToText } from "@anyscheme/core/plugin";
import { decodeDiagnostic, type Diagnostic } from "./diagnostic.ts";
import { ElementReader, malformedError } from "./elements.ts";
import { decodeApdu, PDU } from "./apdu.ts";
import * as tags from "./tags.ts";

/** The header of a found document. Every field may be missing. */
export interface DocumentHeader {
  readonly documentId: Uint8Array | undefined;
  /** The relevance of the document, at most 1000. */
  readonly score: number | undefined;
  /** The length in bytes, for the first type of the document. */
  readonly length: number | undefined;
  readonly lines: number | undefined;
  /** The available types of the document. Empty in responses of the first protocol version. */
  readonly types: readonly string[];
  /** The name of the document's database. */
  readonly source: string | undefined;
  /** The date as `yymmdd`, or `0` for unknown. */
  readonly date: string | undefined;
  readonly headline: string | undefined;
}

/** A SearchResponse. Omits the status, because some servers swap 0 and 1. */
export interface SearchResponse {
  /** True when the server counts more records than the response has. Many servers do not count records. */
  readonly hasMore: boolean;
  readonly headers: readonly DocumentHeader[];
  /** The texts, which share the memory of the response. */
  readonly texts: readonly Uint8Array[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The size of the fixed fields: status, result count, number of records returned, next position. */
const FIXED_BYTES = 10;
const RESULT_COUNT_AT = 1;
const RECORDS_RETURNED_AT = 4;

/**
 * Decodes a SearchResponse APDU. Skips unknown elements. Throws `unsupported` for an empty response, `protocol`,
 * and `limit` for more records than `limits.maxListingEntries`.
 */
export function decodeSearchResponse(bytes: Uint8Array, limits: Limits): SearchResponse {
  const { headStart, headEnd } = decodeApdu(bytes, PDU.searchResponse, FIXED_BYTES);
  const head = new ElementReader(bytes, headStart + FIXED_BYTES, headEnd);
  let isPartial = false;
  for (let tag = head.nextTag(); tag >= 0; tag = head.nextTag()) {
    if (tag === tags.PRESENT_STATUS) isPartial = isPartialStatus(head.content()[0] ?? 0);
    else head.skip();
  }
  const found = threeBytesAt(bytes, headStart + RESULT_COUNT_AT);
  const returned = threeBytesAt(bytes, headStart + RECORDS_RETURNED_AT);

  const headers: DocumentHeader[] = [];
  const texts: Uint8Array[] = [];
  const diagnostics: Diagnostic[] = [];
  let remaining = limits.maxListingEntries;
  const information = new ElementReader(bytes, headEnd);
  for (let outer = information.nextTag(); outer >= 0; outer = information.nextTag()) {
    if (outer !== tags.USER_INFORMATION_LENGTH)
      throw malformedError(`an element ${outer} after the head`, headEnd);
    const records = information.children();
    for (let tag = records.nextTag(); tag >= 0; tag = records.nextTag()) {
      if (--remaining < 0)
        throw limitError("maxListingEntries", limits, "the server's response has too many records");
      if (HEADER_GROUPS.has(tag)) headers.push(decodeHeader(records.children()));
      else if (tag === tags.TEXT_GROUP) decodeText(records.children(), texts);
      else if (tag === tags.DIAGNOSTIC_RECORDS)
        diagnostics.push(decodeDiagnostic(records.diagnosticRecord()));
      else records.skip();
    }
  }
  const received = headers.length + texts.length;
  const hasMore = isPartial || found > received || returned > received + diagnostics.length;
  return { hasMore, headers, texts, diagnostics };
}

/** True for a partial result. Z39.50-1988: 0 is success, 1 to 4 are partial results, and 5 is failure. */
function isPartialStatus(status: number): boolean {
  return status >= 1 && status <= 4;
}

function threeBytesAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 65_536 + (bytes[at + 1] ?? 0) * 256 + (bytes[at + 2] ?? 0);
}

const HEADER_GROUPS: ReadonlySet<number> = new Set([
  tags.DOCUMENT_HEADER_GROUP,
  tags.SHORT_HEADER_GROUP,
  tags.LONG_HEADER_GROUP,
  tags.HEADLINE_GROUP,
  tags.CODES_GROUP,
]);

function decodeHeader(group: ElementReader): DocumentHeader {
  let documentId: Uint8Array | undefined;
  let score: number | undefined;
  let length: number | undefined;
  let lines: number | undefined;
  let types: readonly string[] = [];
  let source: string | undefined;
  let date: string | undefined;
  let headline: string | undefined;
  for (let tag = group.nextTag(); tag >= 0; tag = group.nextTag()) {
    if (tag === tags.DOCUMENT_ID) documentId = group.content();
    else if (tag === tags.SCORE) score = group.number();
    else if (tag === tags.DOCUMENT_LENGTH) length = group.number();
    else if (tag === tags.LINES) lines = group.number();
    else if (tag === tags.TYPE_BLOCK) types = decodeTypes(group.children());
    else if (tag === tags.SOURCE) source = group.latin1();
    else if (tag === tags.DATE) date = group.latin1();
    else if (tag === tags.HEADLINE) headline = latin1ToText(group.latin1());
    else group.skip();
  }
  return { documentId, score, length, lines, types, source, date, headline };
}

function decodeTypes(block: ElementReader): string[] {
  const types: string[] = [];
  for (let tag = block.nextTag(); tag >= 0; tag = block.nextTag()) {
    if (tag === tags.TYPE) types.push(block.latin1());
    else block.skip();
  }
  return types;
}

function decodeText(group: ElementReader, texts: Uint8Array[]): void {
  for (let tag = group.nextTag(); tag >= 0; tag = group.nextTag()) {
    if (tag === tags.DOCUMENT_TEXT) texts.push(group.content());
    else group.skip();
  }
}
