import {
  encodeWaisApduElement,
  encodeWaisApduElementGroup,
  encodeWaisApduNumberElement,
  waisApduElementTags,
} from "./protocol-elements.ts";
import {
  findWaisContentByType,
  type WaisSearchHit,
  type ServedWaisDocument,
  splitKeepingLineEnds,
  listTypesOfWaisDocument,
} from "./search-database.ts";

/** The fields of a WAIS InitResponse that identify the server's implementation. */
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
    encodeWaisApduElement(waisApduElementTags.protocolVersion, firstOptionBit),
    encodeWaisApduElement(waisApduElementTags.options, firstOptionBit),
    encodeWaisApduNumberElement(waisApduElementTags.preferredMessageSize, maxRecordBytes),
    encodeWaisApduNumberElement(waisApduElementTags.maximumRecordSize, maxRecordBytes),
    encodeWaisApduElement(waisApduElementTags.implementationId, implementation.id),
    encodeWaisApduElement(waisApduElementTags.implementationName, implementation.name),
    encodeWaisApduElement(waisApduElementTags.implementationVersion, implementation.version),
  );
  const information = encodeWaisApduElementGroup(
    waisApduElementTags.userInformation,
    encodeWaisApduElement(waisApduElementTags.chunkCode, zeroByte),
    encodeWaisApduElement(waisApduElementTags.chunkIdLength, zeroByte),
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
    encodeWaisApduElement(waisApduElementTags.presentStatus, zeroByte),
    ...(referenceId ? [encodeWaisApduElement(waisApduElementTags.referenceId, referenceId)] : []),
  );
  return Buffer.concat([head, encodeWaisApduElementGroup(waisApduElementTags.userInformation, ...records)]);
}

/** Encodes a WAIS diagnostic record, which follows or replaces the result records. */
export function encodeDiagnostic(code: string, text: string, surrogate: 0 | 1): Buffer {
  const length = code.length + text.length + 1;
  return Buffer.concat([
    Buffer.of(waisApduElementTags.diagnostic, length >> 8, length & 0xff),
    Buffer.from(code + text, "latin1"),
    Buffer.of(surrogate, 0x1d),
  ]);
}

/**
 * Encodes a document-id. The document-id of a document, unlike those of the description and the catalogue, names the
 * test server as the original and the distributing server.
 */
export function encodeDocumentId(
  { document, databaseName, documentIdNamesServer: idNamesServer }: ServedWaisDocument,
  serverName: string,
): Buffer {
  const place = [encodeWaisApduElement(2, databaseName), encodeWaisApduElement(3, document.localId)];
  const distributor = [
    encodeWaisApduElement(4, serverName),
    encodeWaisApduElement(5, databaseName),
    encodeWaisApduElement(6, document.localId),
  ];
  return Buffer.concat([
    ...(idNamesServer ? [encodeWaisApduElement(1, serverName), ...place, ...distributor] : place),
    encodeWaisApduElement(7, zeroByte),
  ]);
}

/** Encodes the WAIS header record of a found document. Version 1 of the WAIS protocol has no type block. */
export function encodeHeaderRecord(hit: WaisSearchHit, serverName: string, firstVersion: boolean): Buffer {
  const { document, databaseName, documentIdNamesServer: idNamesServer, score, headline } = hit;
  const [first = "", ...others] = listTypesOfWaisDocument(document);
  const content = findWaisContentByType(document, first) ?? zeroByte;
  const types = [first, ...others].map((name) => encodeWaisApduElement(waisApduElementTags.type, name));
  return encodeWaisApduElementGroup(
    waisApduElementTags.header,
    encodeWaisApduElement(waisApduElementTags.documentId, encodeDocumentId(hit, serverName)),
    encodeWaisApduNumberElement(waisApduElementTags.score, score),
    ...(idNamesServer ? [encodeWaisApduNumberElement(waisApduElementTags.bestMatch, 0)] : []),
    encodeWaisApduNumberElement(waisApduElementTags.documentLength, content.length),
    // freeWAIS counts one line too many in the description and the catalogue of a database.
    encodeWaisApduNumberElement(
      waisApduElementTags.lines,
      splitKeepingLineEnds(content).length + (idNamesServer ? 0 : 1),
    ),
    ...(firstVersion ? [] : [encodeWaisApduElementGroup(waisApduElementTags.typeBlock, ...types)]),
    encodeWaisApduElement(waisApduElementTags.source, databaseName),
    ...(idNamesServer ? [encodeWaisApduElement(waisApduElementTags.date, "0")] : []),
    encodeWaisApduElement(waisApduElementTags.headline, headline),
  );
}

/** Encodes a record with a part of a document's text and the document-id of the request. */
export function encodeTextRecord(id: Buffer, text: Buffer): Buffer {
  return encodeWaisApduElementGroup(
    waisApduElementTags.textGroup,
    encodeWaisApduElement(waisApduElementTags.documentId, id),
    encodeWaisApduNumberElement(waisApduElementTags.versionNumber, 0),
    encodeWaisApduElement(waisApduElementTags.text, text),
  );
}
