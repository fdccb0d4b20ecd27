import { element, numberElement, textElement } from "./elements.ts";
import { encodeApdu, fixedNumber, PDU } from "./apdu.ts";
import * as tags from "./tags.ts";

/** A search for documents by words. */
export interface WordSearch {
  /** Empty: left to the server, which then looks for a database named INFO. */
  readonly database: Uint8Array;
  readonly words: Uint8Array;
  readonly maxDocuments: number;
}

/** Part of a document, from `start` up to but not including `end`, counted in bytes. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
}

/** A search for the text of one document. */
export interface Retrieval {
  readonly database: Uint8Array;
  /** As the server gave it; "it may only be decomposed by the server that issued it" (RFC 1738 §3.9). */
  readonly documentId: Uint8Array;
  readonly type: Uint8Array;
}

/** "3" is relevance feedback, the search by words; "1" is a query of terms and operators, by which text is fetched. */
const BY_WORDS = "3";
const BY_TERMS = "1";

/** Small-set upper bound, large-set lower bound, medium-set present number, replace indicator: what all clients send. */
const WORD_SEARCH_BOUNDS = [...fixedNumber(30, 3), ...fixedNumber(5000, 3), ...fixedNumber(30, 3), 1];
const RETRIEVAL_BOUNDS = [...fixedNumber(10, 3), ...fixedNumber(16, 3), ...fixedNumber(15, 3), 1];

/** A database name that is left out, a blank, the unit separator, and the name of the set. */
const DOCUMENT_TEXT_SET = " \x1fDocument Text";

/** A Search APDU of query type 3. */
export function encodeWordSearch({ database, words, maxDocuments }: WordSearch): Uint8Array {
  const head = [
    textElement(tags.RESULT_SET_NAME, ""),
    ...named(database),
    textElement(tags.QUERY_TYPE, BY_WORDS),
  ];
  const query = [
    element(tags.SEED_WORDS, words),
    // No weighting by date.
    numberElement(tags.DATE_FACTOR, 1),
    numberElement(tags.MAX_DOCUMENTS_RETRIEVED, maxDocuments),
  ];
  const userInformation = element(tags.USER_INFORMATION_LENGTH, Buffer.concat(query));
  return encodeApdu(PDU.search, WORD_SEARCH_BOUNDS, head, userInformation);
}

/**
 * Makes Search APDUs of query type 1, one for each chunk of a document; what they have in common is made once. Servers want the
 * terms in this order; without the type or the range some close the connection.
 */
export function retrievalEncoder({ database, documentId, type }: Retrieval): (chunk: Chunk) => Uint8Array {
  const head = [
    textElement(tags.RESULT_SET_NAME, "FOO"),
    ...named(database),
    textElement(tags.QUERY_TYPE, BY_TERMS),
    textElement(tags.ELEMENT_SET_NAMES, DOCUMENT_TEXT_SET),
    textElement(tags.REFERENCE_ID, "3"),
  ];
  const document = Buffer.concat([
    DOCUMENT_ID_EQUALS,
    element(tags.TERM, documentId),
    TYPE_EQUALS,
    element(tags.TERM, type),
    AND,
  ]);
  return ({ start, end }) => {
    const first = textElement(tags.TERM, String(start));
    const behind = textElement(tags.TERM, String(end));
    const query = Buffer.concat([document, BYTE_AT_LEAST, first, AND, BYTE_BELOW, behind, AND]);
    return encodeApdu(PDU.search, RETRIEVAL_BOUNDS, head, element(tags.QUERY, query));
  };
}

const AND = textElement(tags.OPERATOR, "a");

/**
 * Attribute lists. Use: `un` document-id, `wt` type, `wb` bytes. Relation: `re` equal, `ro` at least, `rl` less than. Position,
 * structure, truncation and completeness are ignored.
 */
const DOCUMENT_ID_EQUALS = textElement(tags.ATTRIBUTE_LIST, "un re ig ig ig ig");
const TYPE_EQUALS = textElement(tags.ATTRIBUTE_LIST, "wt re ig ig ig ig");
const BYTE_AT_LEAST = textElement(tags.ATTRIBUTE_LIST, "wb ro ig ig ig ig");
const BYTE_BELOW = textElement(tags.ATTRIBUTE_LIST, "wb rl ig ig ig ig");

function named(database: Uint8Array): Uint8Array[] {
  return database.length === 0 ? [] : [element(tags.DATABASE_NAMES, database)];
}
