import { decodeApdu, encodeApdu, WAIS_PDU_TYPES } from "./apdu.ts";
import { indexElementsByTag, readElements } from "./elements.ts";
import { ELEMENT_TAGS } from "./element-tags.ts";

/** The fields of an Init request. Undefined fields are omitted. */
export interface InitRequest {
  /** The largest response that the client accepts, in bytes. */
  readonly maxRecordBytes: number;
  /** A free text that identifies the user. */
  readonly identification?: string | undefined;
  readonly implementation?: WaisImplementation | undefined;
  readonly referenceId?: Uint8Array | undefined;
}

/** The software of a client or server. */
export interface WaisImplementation {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

export interface InitResponse {
  readonly isAccepted: boolean;
  /** The largest response that the server sends, in bytes. */
  readonly maxRecordBytes: number | undefined;
  readonly implementation: WaisImplementation;
}

/** A bitmap whose first bit is set, which means version 1 or the option "search". Servers reject further bits. */
const FIRST_BIT = Uint8Array.of(0x80);

/** Encodes an Init APDU. */
export function encodeInitRequest(request: InitRequest): Uint8Array {
  const { maxRecordBytes, identification, implementation = {}, referenceId } = request;
  const head = [
    [ELEMENT_TAGS.PROTOCOL_VERSION, FIRST_BIT],
    [ELEMENT_TAGS.OPTIONS, FIRST_BIT],
    [ELEMENT_TAGS.PREFERRED_MESSAGE_SIZE, maxRecordBytes],
    [ELEMENT_TAGS.MAXIMUM_RECORD_SIZE, maxRecordBytes],
    [ELEMENT_TAGS.ID_AUTHENTICATION, identification],
    [ELEMENT_TAGS.IMPLEMENTATION_ID, implementation.id],
    [ELEMENT_TAGS.IMPLEMENTATION_NAME, implementation.name],
    [ELEMENT_TAGS.IMPLEMENTATION_VERSION, implementation.version],
    [ELEMENT_TAGS.REFERENCE_ID, referenceId],
  ] as const;
  return encodeApdu(WAIS_PDU_TYPES.init, [], head);
}

/** Decodes an InitResponse APDU. Throws `protocol`. */
export function decodeInitResponse(bytes: Uint8Array): InitResponse {
  const { headStart, headEnd } = decodeApdu(bytes, WAIS_PDU_TYPES.initResponse, 1);
  const fields = indexElementsByTag(readElements(bytes, headStart + 1, headEnd));
  return {
    isAccepted: bytes[headStart] !== 0,
    maxRecordBytes: fields.get(ELEMENT_TAGS.MAXIMUM_RECORD_SIZE)?.number,
    implementation: {
      id: fields.get(ELEMENT_TAGS.IMPLEMENTATION_ID)?.latin1,
      name: fields.get(ELEMENT_TAGS.IMPLEMENTATION_NAME)?.latin1,
      version: fields.get(ELEMENT_TAGS.IMPLEMENTATION_VERSION)?.latin1,
    },
  };
}
