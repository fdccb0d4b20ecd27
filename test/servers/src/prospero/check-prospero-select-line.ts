/** The fields that the original Prospero server also accepts in an older form, without a type before the value. */
const FIELDS_WITH_OPTIONAL_TYPE: ReadonlySet<string> = new Set([
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

/**
 * The attribute types that the original Prospero server accepts. In Prospero, `ASCII` is an older name of the attribute
 * type `SEQUENCE`.
 */
const ATTRIBUTE_TYPES: ReadonlySet<string> = new Set(["FILTER", "LINK", "SEQUENCE", "ASCII"]);

/** Returns the original Prospero server's error text for a `SELECT` line, or `undefined` for a valid line. */
export function findProsperoSelectLineFault(
  [, , nature, name, type]: readonly string[],
  line: string,
): string | undefined {
  if (nature === undefined || name === undefined) return `Malformed attribute line: ${line}`;
  if (nature === "FIELD" && FIELDS_WITH_OPTIONAL_TYPE.has(name)) return undefined;
  if (!["FIELD", "APPLICATION", "INTRINSIC"].includes(nature)) {
    const known = "Only APPLICATION, INTRINSIC, and FIELD attribute value types exist";
    return `${known} -- Malformed ATTRIBUTE line: ${line}`;
  }
  if (type === undefined) return `Malformed ATTRIBUTE line: ${line}`;
  return ATTRIBUTE_TYPES.has(type) ? undefined : `Unknown Attribute Value type: ${type}`;
}
