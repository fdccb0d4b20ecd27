import { encodeElement, encodeGroup, encodeNumberElement, elementTags } from "./protocol-elements.ts";
import {
  contentOfType,
  type SearchHit,
  type RetrievableDocument,
  splitIntoLines,
  listContentTypes,
} from "./search-database.ts";

/** The fields of an InitResponse that identify the server's implementation. */
export interface WaisImplementation {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

const bit0 = Buffer.of(0x80);
const zero = Buffer.of(0);

function encodeApdu(type: number, ...head: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.of(type), ...head]);
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 0xff), bytes]);
}

/** Returns an InitResponse. */
export function encodeInitResponse(
  accepted: boolean,
  maxRecordBytes: number,
  who: WaisImplementation,
): Buffer {
  const head = encodeApdu(
    21,
    Buffer.of(accepted ? 1 : 0),
    encodeElement(elementTags.protocolVersion, bit0),
    encodeElement(elementTags.options, bit0),
    encodeNumberElement(elementTags.preferredMessageSize, maxRecordBytes),
    encodeNumberElement(elementTags.maximumRecordSize, maxRecordBytes),
    encodeElement(elementTags.implementationId, who.id),
    encodeElement(elementTags.implementationName, who.name),
    encodeElement(elementTags.implementationVersion, who.version),
  );
  const information = encodeGroup(
    elementTags.userInformation,
    encodeElement(elementTags.chunkCode, zero),
    encodeElement(elementTags.chunkIdLength, zero),
  );
  return Buffer.concat([head, information]);
}

/** Returns a SearchResponse with records. freeWAIS has status 1 for a successful search, and 0 otherwise. */
export function encodeSearchResponse(
  status: 0 | 1,
  records: readonly Buffer[],
  referenceId: Buffer | undefined,
): Buffer {
  const head = encodeApdu(
    23,
    Buffer.of(status, 0, 0, 0, 0, records.length >> 8, records.length & 0xff, 0, 0, 0),
    encodeElement(elementTags.presentStatus, zero),
    ...(referenceId ? [encodeElement(elementTags.referenceId, referenceId)] : []),
  );
  return Buffer.concat([head, encodeGroup(elementTags.userInformation, ...records)]);
}

/** Encodes a diagnostic record, which follows or replaces the result records. */
export function encodeDiagnostic(code: string, text: string, surrogate: 0 | 1): Buffer {
  const length = code.length + text.length + 1;
  return Buffer.concat([
    Buffer.of(elementTags.diagnostic, length >> 8, length & 0xff),
    Buffer.from(code + text, "latin1"),
    Buffer.of(surrogate, 0x1d),
  ]);
}

/** Encodes a document-id, which names the original and the distributing server. This server is both. */
export function encodeDocumentId(
  { document, databaseName, idNamesServer }: RetrievableDocument,
  serverName: string,
): Buffer {
  const place = [encodeElement(2, databaseName), encodeElement(3, document.localId)];
  const distributor = [
    encodeElement(4, serverName),
    encodeElement(5, databaseName),
    encodeElement(6, document.localId),
  ];
  return Buffer.concat([
    ...(idNamesServer ? [encodeElement(1, serverName), ...place, ...distributor] : place),
    encodeElement(7, zero),
  ]);
}

/** Encodes the header record of a found document. Version 1 of the protocol has no type block. */
export function encodeHeaderRecord(hit: SearchHit, serverName: string, firstVersion: boolean): Buffer {
  const { document, databaseName, idNamesServer, score, headline } = hit;
  const [first = "", ...others] = listContentTypes(document);
  const content = contentOfType(document, first) ?? zero;
  const types = [first, ...others].map((name) => encodeElement(elementTags.type, name));
  return encodeGroup(
    elementTags.header,
    encodeElement(elementTags.documentId, encodeDocumentId(hit, serverName)),
    encodeNumberElement(elementTags.score, score),
    ...(idNamesServer ? [encodeNumberElement(elementTags.bestMatch, 0)] : []),
    encodeNumberElement(elementTags.documentLength, content.length),
    // freeWAIS counts one line too many in the description of a database.
    encodeNumberElement(elementTags.lines, splitIntoLines(content).length + (idNamesServer ? 0 : 1)),
    ...(firstVersion ? [] : [encodeGroup(elementTags.typeBlock, ...types)]),
    encodeElement(elementTags.source, databaseName),
    ...(idNamesServer ? [encodeElement(elementTags.date, "0")] : []),
    encodeElement(elementTags.headline, headline),
  );
}

/** Encodes a record with a part of a document's text and the document-id of the request. */
export function encodeTextRecord(id: Buffer, text: Buffer): Buffer {
  return encodeGroup(
    elementTags.textGroup,
    encodeElement(elementTags.documentId, id),
    encodeNumberElement(elementTags.versionNumber, 0),
    encodeElement(elementTags.text, text),
  );
}
