import { AccessError } from "@anyscheme/core";
import { type ApduElementInit, encodeApduElements, createMalformedApduError } from "./elements.ts";

/** The maximum length of the head of an APDU in bytes. The length indicator of an APDU has two bytes. */
const MAX_APDU_HEAD_BYTES = 0xffff;

/**
 * The types of the WAIS protocol data units. The table has no Present request, because a search request also fetches
 * text.
 */
export const WAIS_PDU_TYPES = { init: 20, initResponse: 21, search: 22, searchResponse: 23 } as const;

/** Encodes an APDU: the length of the head, type, fixed fields, elements, and the user information. */
export function encodeApdu(
  type: number,
  fixedFields: readonly number[],
  elements: readonly ApduElementInit[],
  ...userInformation: readonly ApduElementInit[]
): Uint8Array {
  const head = Buffer.concat([Uint8Array.from([type, ...fixedFields]), encodeApduElements(elements)]);
  if (head.length > MAX_APDU_HEAD_BYTES)
    throw new AccessError("refused-characters", "the database name or identification is too long for WAIS");
  const headLength = Uint8Array.of(head.length >> 8, head.length & 0xff);
  return Buffer.concat([headLength, head, encodeApduElements(userInformation)]);
}

/**
 * Returns the offsets of the head in a WAIS APDU. The user information follows the head of the APDU. Throws
 * `unsupported` for an empty APDU, which a server sends if it cannot process a request. Throws `protocol` for an APDU
 * of another type, and for a head that is too long or too short.
 */
export function findApduHead(
  bytes: Uint8Array,
  expected: number,
  fixedBytes: number,
): { readonly headStart: number; readonly headEnd: number } {
  const [high = 0, low = 0, type] = bytes;
  if (bytes.length === 0) {
    const advice = "for a document, try a smaller chunkBytes";
    throw new AccessError("unsupported", "the server sent an empty response", { advice });
  }
  const headEnd = 2 + high * 256 + low;
  if (headEnd > bytes.length) throw createMalformedApduError("the head is longer than its APDU", 0);
  if (type !== expected)
    throw createMalformedApduError(`the PDU has the type ${type} instead of ${expected}`, 2);
  if (headEnd < 3 + fixedBytes) throw createMalformedApduError("the head is too short for its fields", 0);
  return { headStart: 3, headEnd };
}
