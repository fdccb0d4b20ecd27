/** A part of a representation, both ends included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses a Range field (RFC 9110 §14). Returns undefined for fields that may be ignored (another unit, several
 * ranges, invalid syntax), and `unsatisfiable` for a range outside the representation.
 */
export function parseRangeField(
  field: string | undefined,
  length: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, start, end] = /^bytes=(\d*)-(\d*)$/.exec(field ?? "") ?? [];
  if (start === undefined || end === undefined || (start === "" && end === "")) return undefined;
  const isSuffix = start === "";
  const first = isSuffix ? Math.max(0, length - Number(end)) : Number(start);
  const last = isSuffix || end === "" ? length - 1 : Math.min(Number(end), length - 1);
  if (!isSuffix && end !== "" && Number(end) < Number(start)) return undefined;
  return first > last ? "unsatisfiable" : { first, last };
}
