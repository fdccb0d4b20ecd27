import { encodeElement, encodeNumberElement, encodeTextElement } from "./elements.ts";
import { encodeApdu, encodeFixedNumber, PDU } from "./apdu.ts";
import * as tags from "./tags.ts";

/** A search for documents that contain words. */
export interface WordSearch {
  /** The name of the database. The server selects a database named INFO for an empty name. */
  readonly database: Uint8Array;
  readonly words: Uint8Array;
  readonly maxDocuments: number;
}

/** A range of bytes of a document, from `start` up to but not including `end`. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
}

/** A search for the text of a document. */
export interface Retrieval {
  readonly database: Uint8Array;
  /** The document-id as the server sent it. RFC 1738 §3.9: "it may only be decomposed by the server that issued it". */
  readonly documentId: Uint8Array;
  readonly type: Uint8Array;
}

/**
 * The query types. "3" is relevance feedback, a search with words. "1" is a query of terms and operators, which
 * fetches text.
 */
const BY_WORDS = "3";
const BY_TERMS = "1";

/**
 * The first fields of a search, as sent by all clients. Contains small-set upper bound, large-set lower bound,
 * medium-set present number and replace indicator.
 */
const WORD_SEARCH_BOUNDS = [
  ...encodeFixedNumber(30, 3),
  ...encodeFixedNumber(5000, 3),
  ...encodeFixedNumber(30, 3),
  1,
];
const RETRIEVAL_BOUNDS = [
  ...encodeFixedNumber(10, 3),
  ...encodeFixedNumber(16, 3),
  ...encodeFixedNumber(15, 3),
  1,
];

/**
 * The name of the element set for text. Contains an omitted database name, a blank, the unit separator, and the
 * name.
 */
const DOCUMENT_TEXT_SET = " \x1fDocument Text";

/** Encodes a Search APDU of query type 3. */
export function encodeWordSearch({ database, words, maxDocuments }: WordSearch): Uint8Array {
  const head = [
    encodeTextElement(tags.RESULT_SET_NAME, ""),
    ...encodeDatabaseName(database),
    encodeTextElement(tags.QUERY_TYPE, BY_WORDS),
  ];
  const query = [
    encodeElement(tags.SEED_WORDS, words),
    // The factor 1 means no ranking by date.
    encodeNumberElement(tags.DATE_FACTOR, 1),
    encodeNumberElement(tags.MAX_DOCUMENTS_RETRIEVED, maxDocuments),
  ];
  const userInformation = encodeElement(tags.USER_INFORMATION_LENGTH, Buffer.concat(query));
  return encodeApdu(PDU.search, WORD_SEARCH_BOUNDS, head, userInformation);
}

/**
 * Returns an encoder for Search APDUs of query type 1. Each chunk of a document needs a Search APDU. Servers
 * require this order of the terms. Some servers close the connection if a query has no type or no range.
 */
export function createRetrievalEncoder({
  database,
  documentId,
  type,
}: Retrieval): (chunk: Chunk) => Uint8Array {
  const head = [
    encodeTextElement(tags.RESULT_SET_NAME, "FOO"),
    ...encodeDatabaseName(database),
    encodeTextElement(tags.QUERY_TYPE, BY_TERMS),
    encodeTextElement(tags.ELEMENT_SET_NAMES, DOCUMENT_TEXT_SET),
    encodeTextElement(tags.REFERENCE_ID, "3"),
  ];
  const document = Buffer.concat([
    DOCUMENT_ID_EQUALS,
    encodeElement(tags.TERM, documentId),
    TYPE_EQUALS,
    encodeElement(tags.TERM, type),
    AND,
  ]);
  return ({ start, end }) => {
    const first = encodeTextElement(tags.TERM, String(start));
    const behind = encodeTextElement(tags.TERM, String(end));
    const query = Buffer.concat([document, BYTE_AT_LEAST, first, AND, BYTE_BELOW, behind, AND]);
    return encodeApdu(PDU.search, RETRIEVAL_BOUNDS, head, encodeElement(tags.QUERY, query));
  };
}

const AND = encodeTextElement(tags.OPERATOR, "a");

/**
 * Attribute lists. Use: `un` document-id, `wt` type, `wb` bytes. Relation: `re` equal, `ro` at least, `rl` less
 * than. Position, structure, truncation and completeness are ignored.
 */
const DOCUMENT_ID_EQUALS = encodeTextElement(tags.ATTRIBUTE_LIST, "un re ig ig ig ig");
const TYPE_EQUALS = encodeTextElement(tags.ATTRIBUTE_LIST, "wt re ig ig ig ig");
const BYTE_AT_LEAST = encodeTextElement(tags.ATTRIBUTE_LIST, "wb ro ig ig ig ig");
const BYTE_BELOW = encodeTextElement(tags.ATTRIBUTE_LIST, "wb rl ig ig ig ig");

function encodeDatabaseName(database: Uint8Array): Uint8Array[] {
  return database.length === 0 ? [] : [encodeElement(tags.DATABASE_NAMES, database)];
}
