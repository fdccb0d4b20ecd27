import { findApduHead, encodeApdu, WAIS_PDU_TYPES } from "./apdu-head.ts";
import { indexElementsByTag, readApduElements } from "./elements.ts";
import { WAIS_ELEMENT_TAGS } from "./element-tags.ts";

/** The fields of a WAIS Init request. Undefined fields are omitted. */
export interface WaisInitRequest {
  /** The largest response that the WAIS client accepts, in bytes. */
  readonly maxRecordBytes: number;
  /** Free-form text in a WAIS Init request that identifies the user. */
  readonly identification?: string | undefined;
  readonly implementation?: WaisImplementationInfo | undefined;
  readonly referenceId?: Uint8Array | undefined;
}

/** The software name and version that a WAIS client states. */
export interface WaisImplementationInfo {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

export interface WaisInitResponse {
  readonly isAccepted: boolean;
  /** The largest response that the WAIS server sends, in bytes. */
  readonly maxRecordBytes: number | undefined;
  readonly implementationName: string | undefined;
}

/**
 * A bitmap of a WAIS Init request whose first bit is set, which means version 1 or the option "search". WAIS servers
 * reject an Init request with further bits set in a bitmap.
 */
const BITMAP_WITH_FIRST_BIT = Uint8Array.of(0x80);

/** Encodes an Init APDU. */
export function encodeWaisInitRequest(request: WaisInitRequest): Uint8Array {
  const { maxRecordBytes, identification, implementation = {}, referenceId } = request;
  const head = [
    [WAIS_ELEMENT_TAGS.PROTOCOL_VERSION, BITMAP_WITH_FIRST_BIT],
    [WAIS_ELEMENT_TAGS.OPTIONS, BITMAP_WITH_FIRST_BIT],
    [WAIS_ELEMENT_TAGS.PREFERRED_MESSAGE_SIZE, maxRecordBytes],
    [WAIS_ELEMENT_TAGS.MAXIMUM_RECORD_SIZE, maxRecordBytes],
    [WAIS_ELEMENT_TAGS.ID_AUTHENTICATION, identification],
    [WAIS_ELEMENT_TAGS.IMPLEMENTATION_ID, implementation.id],
    [WAIS_ELEMENT_TAGS.IMPLEMENTATION_NAME, implementation.name],
    [WAIS_ELEMENT_TAGS.IMPLEMENTATION_VERSION, implementation.version],
    [WAIS_ELEMENT_TAGS.REFERENCE_ID, referenceId],
  ] as const;
  return encodeApdu(WAIS_PDU_TYPES.init, [], head);
}

/** Decodes an InitResponse APDU. Throws `unsupported` for an empty APDU, and `protocol` for a malformed APDU. */
export function decodeWaisInitResponse(bytes: Uint8Array): WaisInitResponse {
  const { headStart, headEnd } = findApduHead(bytes, WAIS_PDU_TYPES.initResponse, 1);
  const fields = indexElementsByTag(readApduElements(bytes, headStart + 1, headEnd));
  return {
    isAccepted: bytes[headStart] !== 0,
    maxRecordBytes: fields.get(WAIS_ELEMENT_TAGS.MAXIMUM_RECORD_SIZE)?.number,
    implementationName: fields.get(WAIS_ELEMENT_TAGS.IMPLEMENTATION_NAME)?.latin1,
  };
}
