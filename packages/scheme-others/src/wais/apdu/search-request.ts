import { encodeApdu, WAIS_PDU_TYPES } from "./apdu-head.ts";
import { type ApduElementInit, encodeApduElements } from "./elements.ts";
import { WAIS_ELEMENT_TAGS } from "./element-tags.ts";

/** A WAIS search that finds documents with the given words. */
export interface WaisWordSearchRequest {
  /** The name of the WAIS database to search. A WAIS server selects a database named INFO for an empty name. */
  readonly database: Uint8Array;
  readonly words: Uint8Array;
  readonly maxDocuments: number;
}

/** A range of bytes of a document, from `start` up to but not including `endExclusive`. */
export interface WaisDocumentChunkRange {
  readonly start: number;
  readonly endExclusive: number;
}

/** A search request that fetches the text of a document. */
export interface WaisRetrievalRequest {
  readonly database: Uint8Array;
  /**
   * The document-id as the WAIS server sent it. RFC 1738 §3.9 says of the document-id that "it may only be decomposed
   * by the server that issued it".
   */
  readonly documentId: Uint8Array;
  readonly type: Uint8Array;
}

/**
 * The query types. A WAIS query of type "3" is relevance feedback, which searches for words. A WAIS query of type "1"
 * consists of terms and operators, and fetches text.
 */
const QUERY_TYPE_WORDS = "3";
const QUERY_TYPE_TERMS = "1";

/**
 * The first fixed fields of a Search APDU, with the values that all clients send. The fields are the small-set upper
 * bound, large-set lower bound and medium-set present number in three bytes each, and the replace indicator.
 */
const WORD_SEARCH_RECORD_BOUNDS = [0, 0, 30, 0, 5000 >> 8, 5000 & 0xff, 0, 0, 30, 1];
const RETRIEVAL_RECORD_BOUNDS = [0, 0, 10, 0, 0, 16, 0, 0, 15, 1];

/**
 * The name of the element set that requests the text of a WAIS document. The value consists of an empty WAIS database
 * name, a blank, the unit separator, and the name of the element set.
 */
const DOCUMENT_TEXT_ELEMENT_SET = " \x1fDocument Text";

/** Encodes a Search APDU of query type 3, which searches for words. */
export function encodeWaisWordSearchRequest({
  database,
  words,
  maxDocuments,
}: WaisWordSearchRequest): Uint8Array {
  const head = [
    [WAIS_ELEMENT_TAGS.RESULT_SET_NAME, ""],
    [WAIS_ELEMENT_TAGS.DATABASE_NAMES, undefinedIfEmpty(database)],
    [WAIS_ELEMENT_TAGS.QUERY_TYPE, QUERY_TYPE_WORDS],
  ] as const;
  const query = encodeApduElements([
    [WAIS_ELEMENT_TAGS.SEED_WORDS, words],
    // The date factor 1 in a WAIS search means that the server does not rank documents by date.
    [WAIS_ELEMENT_TAGS.DATE_FACTOR, 1],
    [WAIS_ELEMENT_TAGS.MAX_DOCUMENTS_RETRIEVED, maxDocuments],
  ]);
  return encodeApdu(WAIS_PDU_TYPES.search, WORD_SEARCH_RECORD_BOUNDS, head, [
    WAIS_ELEMENT_TAGS.USER_INFORMATION_LENGTH,
    query,
  ]);
}

/**
 * Encodes a Search APDU of query type 1, which fetches a chunk of a document. WAIS servers require this order of the
 * query terms. Some WAIS servers close the connection if a query has no type or no range.
 */
export function encodeRetrievalRequest(
  { database, documentId, type }: WaisRetrievalRequest,
  chunk: WaisDocumentChunkRange,
): Uint8Array {
  const head = [
    [WAIS_ELEMENT_TAGS.RESULT_SET_NAME, "FOO"],
    [WAIS_ELEMENT_TAGS.DATABASE_NAMES, undefinedIfEmpty(database)],
    [WAIS_ELEMENT_TAGS.QUERY_TYPE, QUERY_TYPE_TERMS],
    [WAIS_ELEMENT_TAGS.ELEMENT_SET_NAMES, DOCUMENT_TEXT_ELEMENT_SET],
    [WAIS_ELEMENT_TAGS.REFERENCE_ID, "3"],
  ] as const;
  const query = encodeApduElements([
    ...encodeQueryTerm(DOCUMENT_ID_EQUALS_ATTRIBUTES, documentId),
    ...encodeQueryTerm(TYPE_EQUALS_ATTRIBUTES, type),
    AND_OPERATOR,
    ...encodeQueryTerm(BYTE_AT_LEAST_ATTRIBUTES, String(chunk.start)),
    AND_OPERATOR,
    ...encodeQueryTerm(BYTE_BELOW_ATTRIBUTES, String(chunk.endExclusive)),
    AND_OPERATOR,
  ]);
  return encodeApdu(WAIS_PDU_TYPES.search, RETRIEVAL_RECORD_BOUNDS, head, [WAIS_ELEMENT_TAGS.QUERY, query]);
}

const AND_OPERATOR: ApduElementInit = [WAIS_ELEMENT_TAGS.OPERATOR, "a"];

/**
 * Attribute lists. The use attributes of a WAIS query term are `un` (document-id), `wt` (type) and `wb` (bytes). The
 * relation attributes of a WAIS query term are `re` (equal), `ro` (at least) and `rl` (less than). WAIS servers ignore
 * the attributes position, structure, truncation and completeness.
 */
const DOCUMENT_ID_EQUALS_ATTRIBUTES = "un re ig ig ig ig";
const TYPE_EQUALS_ATTRIBUTES = "wt re ig ig ig ig";
const BYTE_AT_LEAST_ATTRIBUTES = "wb ro ig ig ig ig";
const BYTE_BELOW_ATTRIBUTES = "wb rl ig ig ig ig";

function encodeQueryTerm(attributes: string, term: Uint8Array | string): ApduElementInit[] {
  return [
    [WAIS_ELEMENT_TAGS.ATTRIBUTE_LIST, attributes],
    [WAIS_ELEMENT_TAGS.TERM, term],
  ];
}

function undefinedIfEmpty(bytes: Uint8Array): Uint8Array | undefined {
  return bytes.length === 0 ? undefined : bytes;
}
