/** The names that the original reads in its older form as well: a field of these needs no type before its value. */
const UNTYPED: ReadonlySet<string> = new Set([
  "ACCESS-METHOD",
  "BASE-TYPE",
  "CLOSURE",
  "DEST-EXP",
  "FILTER",
  "HOST",
  "HOST-TYPE",
  "HSONAME",
  "HSONAME-TYPE",
  "ID",
  "LINK-TYPE",
  "NAME-COMPONENT",
  "OWNER",
  "TARGET",
  "TTL",
  "VERSION",
]);

/** The types that the original knows; `ASCII` is an older word for `SEQUENCE`. */
const TYPES: ReadonlySet<string> = new Set(["FILTER", "LINK", "SEQUENCE", "ASCII"]);

/**
 * The fault that the original finds in a `SELECT` line, in its words; `undefined` for a line that it accepts. It uses only
 * the object id of what it accepts, and ignores the rest.
 */
export function selectionFault(
  [, , nature, name, type]: readonly string[],
  line: string,
): string | undefined {
  if (nature === undefined || name === undefined) return `Malformed attribute line: ${line}`;
  if (nature === "FIELD" && UNTYPED.has(name)) return undefined;
  if (!["FIELD", "APPLICATION", "INTRINSIC"].includes(nature)) {
    const known = "Only APPLICATION, INTRINSIC, and FIELD attribute value types exist";
    return `${known} -- Malformed ATTRIBUTE line: ${line}`;
  }
  if (type === undefined) return `Malformed ATTRIBUTE line: ${line}`;
  return TYPES.has(type) ? undefined : `Unknown Attribute Value type: ${type}`;
}
