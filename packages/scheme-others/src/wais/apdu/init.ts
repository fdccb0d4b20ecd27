import { decodeApdu, encodeApdu, PDU_TYPES } from "./apdu.ts";
import { indexByTag, readElements } from "./elements.ts";
import * as tags from "./tags.ts";

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
  readonly accepted: boolean;
  /** The largest response that the server sends, in bytes. */
  readonly maxRecordBytes: number | undefined;
  readonly implementation: WaisImplementation;
}

/** A bitmap with only the first bit: version 1, or the option "search". Servers reject further bits. */
const FIRST_BIT = Uint8Array.of(0x80);

/** Encodes an Init APDU. */
export function encodeInit(request: InitRequest): Uint8Array {
  const { maxRecordBytes, identification, implementation = {}, referenceId } = request;
  const head = [
    [tags.PROTOCOL_VERSION, FIRST_BIT],
    [tags.OPTIONS, FIRST_BIT],
    [tags.PREFERRED_MESSAGE_SIZE, maxRecordBytes],
    [tags.MAXIMUM_RECORD_SIZE, maxRecordBytes],
    [tags.ID_AUTHENTICATION, identification],
    [tags.IMPLEMENTATION_ID, implementation.id],
    [tags.IMPLEMENTATION_NAME, implementation.name],
    [tags.IMPLEMENTATION_VERSION, implementation.version],
    [tags.REFERENCE_ID, referenceId],
  ] as const;
  return encodeApdu(PDU_TYPES.init, [], head);
}

/** Decodes an InitResponse APDU. Throws `protocol`. */
export function decodeInitResponse(bytes: Uint8Array): InitResponse {
  const { headStart, headEnd } = decodeApdu(bytes, PDU_TYPES.initResponse, 1);
  const fields = indexByTag(readElements(bytes, headStart + 1, headEnd));
  return {
    accepted: bytes[headStart] !== 0,
    maxRecordBytes: fields.get(tags.MAXIMUM_RECORD_SIZE)?.number,
    implementation: {
      id: fields.get(tags.IMPLEMENTATION_ID)?.latin1,
      name: fields.get(tags.IMPLEMENTATION_NAME)?.latin1,
      version: fields.get(tags.IMPLEMENTATION_VERSION)?.latin1,
    },
  };
}
