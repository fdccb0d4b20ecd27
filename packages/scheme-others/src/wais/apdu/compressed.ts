/** The largest compressed integer: writers use at most four bytes of seven bits. */
export const MAX_COMPRESSED: number = 2 ** 28 - 1;

/** A number in base 128, most significant digit first, bit 7 set on all bytes but the last. */
export function encodeCompressed(value: number): number[] {
  if (!(value >= 0 && value <= MAX_COMPRESSED)) throw new RangeError(`${value} is no compressed integer`);
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
