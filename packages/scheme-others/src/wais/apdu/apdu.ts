import { AccessError } from "@anyscheme/core";
import { malformedError } from "./elements.ts";

/** The header length indicator has two bytes. */
const MAX_HEAD_BYTES = 0xffff;

/** The types of protocol data units that are in use; text is fetched by a search, not by a present request. */
export const PDU = { init: 20, initResponse: 21, search: 22, searchResponse: 23 } as const;

/** Where the parts of an APDU are: the head behind its type, and behind the head the user information. */
export interface ApduLayout {
  readonly headStart: number;
  readonly headEnd: number;
}

/** An APDU: the length of its head, its type, its fixed fields and elements; behind them the user information. */
export function encodeApdu(
  type: number,
  fixed: readonly number[],
  elements: readonly Uint8Array[],
  userInformation: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const head = Buffer.concat([Uint8Array.from([type, ...fixed]), ...elements]);
  if (head.length > MAX_HEAD_BYTES)
    throw new AccessError("refused-characters", "the name of the database is too long for the protocol");
  return Buffer.concat([Uint8Array.of(head.length >> 8, head.length & 0xff), head, userInformation]);
}

/**
 * Takes an APDU apart. Throws `unsupported` for the empty one by which servers say that they cannot answer, and `protocol` for
 * one of another type or with a head that is longer than itself.
 */
export function decodeApdu(bytes: Uint8Array, expected: number, fixedBytes: number): ApduLayout {
  const [high = 0, low = 0, type] = bytes;
  if (bytes.length === 0) {
    const advice = "where a document is fetched, a smaller chunkBytes may help";
    throw new AccessError("unsupported", "the server has no answer to this request", { advice });
  }
  const headEnd = 2 + high * 256 + low;
  if (headEnd > bytes.length) throw malformedError("a head that is longer than its APDU", 0);
  if (type !== expected) throw malformedError(`a PDU of type ${type} instead of ${expected}`, 2);
  if (headEnd < 3 + fixedBytes) throw malformedError("a head that is too short for its fields", 0);
  return { headStart: 3, headEnd };
}

/** A number of so many bytes, most significant first. */
export function encodeFixedNumber(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => (value >>> (8 * (bytes - 1 - index))) & 0xff);
}
