import type { Range } from "../scheme/plan.ts";

/** Matches a `Range` header with a single range that begins at a given byte. */
const BYTE_RANGE = /^bytes=(\d{1,15})-(\d{1,15})?$/;

/**
 * Parses a `Range` header. Returns `undefined` for several ranges, a range counted from the end, and another unit.
 * Servers may ignore a Range header (RFC 9110 §14.2).
 */
export function parseSingleRangeHeader(value: string | null | undefined): Range | undefined {
  const [, first, last] = BYTE_RANGE.exec(value ?? "") ?? [];
  if (first === undefined) return undefined;
  const range = { start: Number(first), ...(last !== undefined && { endExclusive: Number(last) + 1 }) };
  return range.endExclusive === undefined || range.endExclusive > range.start ? range : undefined;
}
