/** A byte range of a file. The range includes its first and its last byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses the Range field of a request (RFC 9110 §14). Returns undefined for a Range field that the HTTP server ignores
 * (unknown unit, several ranges, invalid syntax), and `unsatisfiable` for a range outside the file.
 */
export function parseHttpRange(
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
