import {
  encodeElement,
  encodeElementGroup,
  encodeNumberElement,
  waisElementTags,
} from "./protocol-elements.ts";
import {
  findWaisDocumentContent,
  type WaisSearchHit,
  type RetrievableDocument,
  splitIntoLines,
  listWaisDocumentTypes,
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
    encodeElement(waisElementTags.protocolVersion, firstOptionBit),
    encodeElement(waisElementTags.options, firstOptionBit),
    encodeNumberElement(waisElementTags.preferredMessageSize, maxRecordBytes),
    encodeNumberElement(waisElementTags.maximumRecordSize, maxRecordBytes),
    encodeElement(waisElementTags.implementationId, implementation.id),
    encodeElement(waisElementTags.implementationName, implementation.name),
    encodeElement(waisElementTags.implementationVersion, implementation.version),
  );
  const information = encodeElementGroup(
    waisElementTags.userInformation,
    encodeElement(waisElementTags.chunkCode, zeroByte),
    encodeElement(waisElementTags.chunkIdLength, zeroByte),
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
    encodeElement(waisElementTags.presentStatus, zeroByte),
    ...(referenceId ? [encodeElement(waisElementTags.referenceId, referenceId)] : []),
  );
  return Buffer.concat([head, encodeElementGroup(waisElementTags.userInformation, ...records)]);
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

/** Encodes a document-id, which names the original and the distributing server. The WAIS test server has both roles. */
export function encodeDocumentId(
  { document, databaseName, documentIdNamesServer: idNamesServer }: RetrievableDocument,
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
    encodeElement(7, zeroByte),
  ]);
}

/** Encodes the header record of a found document. Version 1 of the protocol has no type block. */
export function encodeHeaderRecord(hit: WaisSearchHit, serverName: string, firstVersion: boolean): Buffer {
  const { document, databaseName, documentIdNamesServer: idNamesServer, score, headline } = hit;
  const [first = "", ...others] = listWaisDocumentTypes(document);
  const content = findWaisDocumentContent(document, first) ?? zeroByte;
  const types = [first, ...others].map((name) => encodeElement(waisElementTags.type, name));
  return encodeElementGroup(
    waisElementTags.header,
    encodeElement(waisElementTags.documentId, encodeDocumentId(hit, serverName)),
    encodeNumberElement(waisElementTags.score, score),
    ...(idNamesServer ? [encodeNumberElement(waisElementTags.bestMatch, 0)] : []),
    encodeNumberElement(waisElementTags.documentLength, content.length),
    // freeWAIS counts one line too many in the description of a database.
    encodeNumberElement(waisElementTags.lines, splitIntoLines(content).length + (idNamesServer ? 0 : 1)),
    ...(firstVersion ? [] : [encodeElementGroup(waisElementTags.typeBlock, ...types)]),
    encodeElement(waisElementTags.source, databaseName),
    ...(idNamesServer ? [encodeElement(waisElementTags.date, "0")] : []),
    encodeElement(waisElementTags.headline, headline),
  );
}

/** Encodes a record with a part of a document's text and the document-id of the request. */
export function encodeTextRecord(id: Buffer, text: Buffer): Buffer {
  return encodeElementGroup(
    waisElementTags.textGroup,
    encodeElement(waisElementTags.documentId, id),
    encodeNumberElement(waisElementTags.versionNumber, 0),
    encodeElement(waisElementTags.text, text),
  );
}
