import {
  encodeWaisElement,
  encodeWaisElementGroup,
  encodeWaisNumberElement,
  waisElementTags,
} from "./protocol-elements.ts";
import {
  findWaisContentByType,
  type WaisSearchHit,
  type RetrievableDocument,
  splitKeepingLineEnds,
  listTypesOfWaisDocument,
} from "./search-database.ts";

/** The fields of an InitResponse that identify the server's implementation. */
export interface WaisImplementationInfo {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

const firstOptionBit = Buffer.of(0x80);
const zeroByte = Buffer.of(0);

function encodeApdu(type: number, ...head: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.of(type), ...head]);
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 0xff), bytes]);
}

/** Returns an InitResponse. */
export function encodeInitResponse(
  accepted: boolean,
  maxRecordBytes: number,
  implementation: WaisImplementationInfo,
): Buffer {
  const head = encodeApdu(
    21,
    Buffer.of(accepted ? 1 : 0),
    encodeWaisElement(waisElementTags.protocolVersion, firstOptionBit),
    encodeWaisElement(waisElementTags.options, firstOptionBit),
    encodeWaisNumberElement(waisElementTags.preferredMessageSize, maxRecordBytes),
    encodeWaisNumberElement(waisElementTags.maximumRecordSize, maxRecordBytes),
    encodeWaisElement(waisElementTags.implementationId, implementation.id),
    encodeWaisElement(waisElementTags.implementationName, implementation.name),
    encodeWaisElement(waisElementTags.implementationVersion, implementation.version),
  );
  const information = encodeWaisElementGroup(
    waisElementTags.userInformation,
    encodeWaisElement(waisElementTags.chunkCode, zeroByte),
    encodeWaisElement(waisElementTags.chunkIdLength, zeroByte),
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
    encodeWaisElement(waisElementTags.presentStatus, zeroByte),
    ...(referenceId ? [encodeWaisElement(waisElementTags.referenceId, referenceId)] : []),
  );
  return Buffer.concat([head, encodeWaisElementGroup(waisElementTags.userInformation, ...records)]);
}

/** Encodes a diagnostic record, which follows or replaces the result records. */
export function encodeDiagnostic(code: string, text: string, surrogate: 0 | 1): Buffer {
  const length = code.length + text.length + 1;
  return Buffer.concat([
    Buffer.of(waisElementTags.diagnostic, length >> 8, length & 0xff),
    Buffer.from(code + text, "latin1"),
    Buffer.of(surrogate, 0x1d),
  ]);
}

/**
 * Encodes a document-id. The document-id of a document, unlike those of the description and the catalogue, names the
 * test server as the original and the distributing server.
 */
export function encodeDocumentId(
  { document, databaseName, documentIdNamesServer: idNamesServer }: RetrievableDocument,
  serverName: string,
): Buffer {
  const place = [encodeWaisElement(2, databaseName), encodeWaisElement(3, document.localId)];
  const distributor = [
    encodeWaisElement(4, serverName),
    encodeWaisElement(5, databaseName),
    encodeWaisElement(6, document.localId),
  ];
  return Buffer.concat([
    ...(idNamesServer ? [encodeWaisElement(1, serverName), ...place, ...distributor] : place),
    encodeWaisElement(7, zeroByte),
  ]);
}

/** Encodes the header record of a found document. Version 1 of the WAIS protocol has no type block. */
export function encodeHeaderRecord(hit: WaisSearchHit, serverName: string, firstVersion: boolean): Buffer {
  const { document, databaseName, documentIdNamesServer: idNamesServer, score, headline } = hit;
  const [first = "", ...others] = listTypesOfWaisDocument(document);
  const content = findWaisContentByType(document, first) ?? zeroByte;
  const types = [first, ...others].map((name) => encodeWaisElement(waisElementTags.type, name));
  return encodeWaisElementGroup(
    waisElementTags.header,
    encodeWaisElement(waisElementTags.documentId, encodeDocumentId(hit, serverName)),
    encodeWaisNumberElement(waisElementTags.score, score),
    ...(idNamesServer ? [encodeWaisNumberElement(waisElementTags.bestMatch, 0)] : []),
    encodeWaisNumberElement(waisElementTags.documentLength, content.length),
    // freeWAIS counts one line too many in the description and the catalogue of a database.
    encodeWaisNumberElement(
      waisElementTags.lines,
      splitKeepingLineEnds(content).length + (idNamesServer ? 0 : 1),
    ),
    ...(firstVersion ? [] : [encodeWaisElementGroup(waisElementTags.typeBlock, ...types)]),
    encodeWaisElement(waisElementTags.source, databaseName),
    ...(idNamesServer ? [encodeWaisElement(waisElementTags.date, "0")] : []),
    encodeWaisElement(waisElementTags.headline, headline),
  );
}

/** Encodes a record with a part of a document's text and the document-id of the request. */
export function encodeTextRecord(id: Buffer, text: Buffer): Buffer {
  return encodeWaisElementGroup(
    waisElementTags.textGroup,
    encodeWaisElement(waisElementTags.documentId, id),
    encodeWaisNumberElement(waisElementTags.versionNumber, 0),
    encodeWaisElement(waisElementTags.text, text),
  );
}
