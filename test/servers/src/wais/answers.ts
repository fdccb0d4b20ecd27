import { element, group, numberElement, tag } from "./elements.ts";
import { contentOf, type Hit, type Holding, readLines, typesOf } from "./library.ts";

/** The implementation fields of an InitResponse. */
export interface Implementation {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

const bit0 = Buffer.of(0x80);
const zero = Buffer.of(0);

function apdu(type: number, ...head: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.of(type), ...head]);
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 0xff), bytes]);
}

/** Returns an InitResponse. */
export function initAnswer(accepted: boolean, maxRecordBytes: number, who: Implementation): Buffer {
  const head = apdu(
    21,
    Buffer.of(accepted ? 1 : 0),
    element(tag.protocolVersion, bit0),
    element(tag.options, bit0),
    numberElement(tag.preferredMessageSize, maxRecordBytes),
    numberElement(tag.maximumRecordSize, maxRecordBytes),
    element(tag.implementationId, who.id),
    element(tag.implementationName, who.name),
    element(tag.implementationVersion, who.version),
  );
  const information = group(
    tag.userInformation,
    element(tag.chunkCode, zero),
    element(tag.chunkIdLength, zero),
  );
  return Buffer.concat([head, information]);
}

/** Returns a SearchResponse with records. freeWAIS has status 1 for a successful search, and 0 otherwise. */
export function searchAnswer(
  status: 0 | 1,
  records: readonly Buffer[],
  referenceId: Buffer | undefined,
): Buffer {
  const head = apdu(
    23,
    Buffer.of(status, 0, 0, 0, 0, records.length >> 8, records.length & 0xff, 0, 0, 0),
    element(tag.presentStatus, zero),
    ...(referenceId ? [element(tag.referenceId, referenceId)] : []),
  );
  return Buffer.concat([head, group(tag.userInformation, ...records)]);
}

/** Returns a diagnostic record, which accompanies or replaces other records. */
export function diagnostic(code: string, text: string, surrogate: 0 | 1): Buffer {
  const length = code.length + text.length + 1;
  return Buffer.concat([
    Buffer.of(tag.diagnostic, length >> 8, length & 0xff),
    Buffer.from(code + text, "latin1"),
    Buffer.of(surrogate, 0x1d),
  ]);
}

/** Returns the id of a document, with its original and its distributing server. Both are the same here. */
export function documentId({ document, source, withServer }: Holding, serverName: string): Buffer {
  const place = [element(2, source), element(3, document.localId)];
  const distributor = [element(4, serverName), element(5, source), element(6, document.localId)];
  return Buffer.concat([
    ...(withServer ? [element(1, serverName), ...place, ...distributor] : place),
    element(7, zero),
  ]);
}

/** Returns the header of a found document. The first version of the protocol has no type block. */
export function headerRecord(hit: Hit, serverName: string, firstVersion: boolean): Buffer {
  const { document, source, withServer, score, headline } = hit;
  const [first = "", ...others] = typesOf(document);
  const content = contentOf(document, first) ?? zero;
  const types = [first, ...others].map((name) => element(tag.type, name));
  return group(
    tag.header,
    element(tag.documentId, documentId(hit, serverName)),
    numberElement(tag.score, score),
    ...(withServer ? [numberElement(tag.bestMatch, 0)] : []),
    numberElement(tag.documentLength, content.length),
    // freeWAIS counts the end of a database's description as a line too.
    numberElement(tag.lines, readLines(content).length + (withServer ? 0 : 1)),
    ...(firstVersion ? [] : [group(tag.typeBlock, ...types)]),
    element(tag.source, source),
    ...(withServer ? [element(tag.date, "0")] : []),
    element(tag.headline, headline),
  );
}

/** Returns a record with text of a document. The id is that of the request. */
export function textRecord(id: Buffer, text: Buffer): Buffer {
  return group(
    tag.textGroup,
    element(tag.documentId, id),
    numberElement(tag.versionNumber, 0),
    element(tag.text, text),
  );
}
