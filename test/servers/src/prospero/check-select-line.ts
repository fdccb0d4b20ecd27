/** Names with an older form that the original also accepts. A field in that form has no type before its value. */
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

/** The types that the original accepts. `ASCII` is an older name of `SEQUENCE`. */
const TYPES: ReadonlySet<string> = new Set(["FILTER", "LINK", "SEQUENCE", "ASCII"]);

/**
 * Returns the original's error text for a `SELECT` line, or `undefined` for an accepted line. The original uses only the object id of an accepted line, and ignores the rest.
 */
export function findFaultInSelectLine(
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
