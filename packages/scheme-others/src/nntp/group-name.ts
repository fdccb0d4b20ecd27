import type { Fault, Reading } from "@anyscheme/core/syntax";

// group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]            RFC 1738 §5
export const groupSource: string = "[A-Za-z][A-Za-z0-9.+_-]*";

export const BAD_GROUP: Fault = ["bad-group", "3.6", "the name of the group is missing or is no name"];
export const GROUP_FORM: Fault = [
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
export function isGroup(text: string): boolean {
  return wholeGroup.test(text);
}

const escapedPlus = /%2B/gi;

/** The name of a group without the escapes that tolerant mode reads. */
export function groupName(written: string): string {
  return written.replace(escapedPlus, "+");
}

/** Notes the escapes of "+" in text[start, end): other writers escape it, as in `comp.lang.c%2B%2B`. */
export function departEscapes(reading: Reading, start: number, end: number): boolean {
  const escapes = [...reading.text.slice(start, end).matchAll(escapedPlus)];
  return escapes.every(({ index }) => reading.depart(GROUP_ESCAPE, start + index, 3, 'write "+"'));
}

/** Refuses text[start, end) as the name of a group, at its first character that no name has. */
export function refuseGroup(reading: Reading, start: number, end: number, emptyLength = 0): boolean {
  const stray = reading.text.slice(start, end).search(/%(?!2B)|[^A-Za-z0-9.+_%-]/i);
  return reading.refuse(BAD_GROUP, start + Math.max(stray, 0), stray < 0 ? emptyLength : 1, GROUP_ADVICE);
}
