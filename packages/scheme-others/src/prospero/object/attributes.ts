import { utcDate } from "@anyscheme/core/plugin";
import type { Attribute } from "../protocol/reply-line.ts";

/** The properties of an object that its attributes contain. */
export interface ObjectInfo {
  /** The size in bytes. */
  readonly size: number | undefined;
  readonly modified: Date | undefined;
  /** True when the object is only a directory. */
  readonly isDirectory: boolean;
}

/** Reads the properties from attributes. Only the first attribute with a name is used. */
export function parseObjectInfo(attributes: readonly Attribute[]): ObjectInfo {
  const valueOf = (name: string): string =>
    attributes.find((attribute) => attribute.name === name)?.values[0] ?? "";
  // Matches a size such as "81000 bytes".
  const [, digits] = /^(\d{1,15})(?: bytes)?$/.exec(valueOf("SIZE")) ?? [];
  return {
    size: digits === undefined ? undefined : Number(digits),
    modified: parseTimestamp(valueOf("LAST-MODIFIED")),
    isDirectory: valueOf("UNIX-MODES").startsWith("d"),
  };
}

/** Returns the object id as a value of the field `ID`, such as `REMOTE 4242`. */
export function objectId(attributes: readonly Attribute[]): string | undefined {
  const id = attributes.find(({ name, values }) => name === "ID" && values.length > 0);
  return id?.values.join(" ");
}

/** Parses a time such as `20261120204018Z`. */
function parseTimestamp(text: string): Date | undefined {
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text)?.slice(1) ?? [];
  const [year = 0, month = 0, day = 0, ...time] = digits.map(Number);
  return utcDate(year, month, day, ...time);
}
