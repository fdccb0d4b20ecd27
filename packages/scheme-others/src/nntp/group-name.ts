import type { Fault, Diagnostics } from "@anyscheme/core/syntax";

// group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]            RFC 1738 §5
export const groupSource: string = "[A-Za-z][A-Za-z0-9.+_-]*";

export const BAD_GROUP: Fault = ["bad-group", "3.6", "the name of the group is missing or is no name"];
const GROUP_FORM: Fault = [
  "group-form",
  "3.6",
  "the name of the group has a form that RFC 1738 does not know",
];
const GROUP_ESCAPE: Fault = ["group-escape", "3.6", "the name of a group is written without escapes"];
/** A "/" with nothing behind it. */
export const TRAILING_SLASH: Fault = ["trailing-slash", "5", "nothing follows the last '/'"];

export const GROUP_ADVICE: string = "name one group: a letter, then letters, digits, '-', '.', '+' and '_'";

const wholeGroup = new RegExp(`^${groupSource}$`);

/** Whether the text is the name of a group. RFC 1738 §3.6. */
function isGroup(text: string): boolean {
  return wholeGroup.test(text);
}

const escapedPlus = /%2B/gi;

/** The name of a group without the escapes that tolerant mode reads. */
export function decodeGroupName(written: string): string {
  return written.replace(escapedPlus, "+");
}

/**
 * Checks text[start, end) as the name of a group. `isKnown` tells which names outside of the grammar have a meaning; escapes of "+" are
 * noted, since other writers have them, as in `comp.lang.c%2B%2B`.
 */
export function checkGroupName(
  reading: Diagnostics,
  start: number,
  end: number,
  isKnown: (name: string) => boolean,
): boolean {
  const written = reading.text.slice(start, end);
  const name = decodeGroupName(written);
  if (!isGroup(name) && !isKnown(name)) {
    const stray = Math.max(written.search(/%(?!2B)|[^A-Za-z0-9.+_%-]/i), 0);
    return reading.reportFault(BAD_GROUP, start + stray, Math.min(written.length, 1), GROUP_ADVICE);
  }
  for (const { index } of written.matchAll(escapedPlus))
    if (!reading.reportDeviation(GROUP_ESCAPE, start + index, 3, 'write "+"')) return false;
  return isGroup(name) || reading.reportDeviation(GROUP_FORM, start, written.length, GROUP_ADVICE);
}
