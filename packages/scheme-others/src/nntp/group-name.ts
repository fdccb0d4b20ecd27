import type { Fault } from "@anyscheme/core/syntax";

// group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]            RFC 1738 §5
export const groupSource: string = "[A-Za-z][A-Za-z0-9.+_-]*";

export const BAD_GROUP: Fault = ["bad-group", "3.6", "the name of the group is missing or is no name"];
export const GROUP_FORM: Fault = [
  "group-form",
  "3.6",
  "the name of the group has a form that RFC 1738 does not know",
];
/** A "/" with nothing behind it. */
export const TRAILING_SLASH: Fault = ["trailing-slash", "5", "nothing follows the last '/'"];

export const GROUP_ADVICE: string = "name one group: a letter, then letters, digits, '-', '.', '+' and '_'";

const wholeGroup = new RegExp(`^${groupSource}$`);

/** Whether the text is the name of a group. RFC 1738 §3.6. */
export function isGroup(text: string): boolean {
  return wholeGroup.test(text);
}
