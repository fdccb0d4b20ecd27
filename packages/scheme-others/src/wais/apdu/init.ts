import { encodeElement, ElementReader, encodeNumberElement, encodeTextElement } from "./elements.ts";
import { decodeApdu, encodeApdu, PDU } from "./apdu.ts";
import * as tags from "./tags.ts";

/** The fields of an Init request. Undefined fields are omitted. */
export interface Init {
  /** The largest response that the client accepts, in bytes. */
  readonly maxRecordBytes: number;
  /** A free text that identifies the user. */
  readonly identification?: string | undefined;
  readonly implementation?: Implementation | undefined;
  readonly referenceId?: Uint8Array | undefined;
}

export interface Implementation {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

export interface InitResponse {
  readonly accepted: boolean;
  /** The largest response that the server sends, in bytes. */
  readonly maxRecordBytes: number | undefined;
  readonly implementation: Implementation;
}

/** A bitmap with only the first bit: version 1, or the option "search". Servers reject further bits. */
const FIRST_BIT = Uint8Array.of(0x80);

/** Encodes an Init APDU. */
export function encodeInit({
  maxRecordBytes,
  identification,
  implementation = {},
  referenceId,
}: Init): Uint8Array {
  const { id, name, version } = implementation;
  const text = (tag: number, value: string | undefined): Uint8Array[] =>
    value === undefined ? [] : [encodeTextElement(tag, value)];
  return encodeApdu(
    PDU.init,
    [],
    [
      encodeElement(tags.PROTOCOL_VERSION, FIRST_BIT),
      encodeElement(tags.OPTIONS, FIRST_BIT),
      encodeNumberElement(tags.PREFERRED_MESSAGE_SIZE, maxRecordBytes),
      encodeNumberElement(tags.MAXIMUM_RECORD_SIZE, maxRecordBytes),
      ...text(tags.ID_AUTHENTICATION, identification),
      ...text(tags.IMPLEMENTATION_ID, id),
      ...text(tags.IMPLEMENTATION_NAME, name),
      ...text(tags.IMPLEMENTATION_VERSION, version),
      ...(referenceId ? [encodeElement(tags.REFERENCE_ID, referenceId)] : []),
    ],
  );
}

/** Decodes an InitResponse APDU. Throws `protocol`. */
export function decodeInitResponse(bytes: Uint8Array): InitResponse {
  const { headStart, headEnd } = decodeApdu(bytes, PDU.initResponse, 1);
  const head = new ElementReader(bytes, headStart + 1, headEnd);
  let maxRecordBytes: number | undefined;
  let id: string | undefined;
  let name: string | undefined;
  let version: string | undefined;
  for (let tag = head.nextTag(); tag >= 0; tag = head.nextTag()) {
    if (tag === tags.MAXIMUM_RECORD_SIZE) maxRecordBytes = head.number();
    else if (tag === tags.IMPLEMENTATION_ID) id = head.latin1();
    else if (tag === tags.IMPLEMENTATION_NAME) name = head.latin1();
    else if (tag === tags.IMPLEMENTATION_VERSION) version = head.latin1();
    else head.skip();
  }
  return { accepted: bytes[headStart] !== 0, maxRecordBytes, implementation: { id, name, version } };
}
