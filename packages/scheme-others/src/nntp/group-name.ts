import { type ParseDiagnostics, type UrlFaultDefinition, percentDecodeText } from "@anyscheme/core/syntax";

// group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]            RFC 1738 §5
export const GROUP_NAME_REGEXP_SOURCE: string = "[A-Za-z][A-Za-z0-9.+_-]*";

export const BAD_GROUP_URL_FAULT: UrlFaultDefinition = {
  code: "bad-group",
  section: "3.6",
  message: "the name of the group is missing or invalid",
};
const NON_RFC1738_GROUP_FAULT: UrlFaultDefinition = {
  code: "group-form",
  section: "3.6",
  message: "the name of the group is not valid in RFC 1738",
};
const GROUP_NAME_FAULT_OF_RFC_5538: UrlFaultDefinition = {
  ...NON_RFC1738_GROUP_FAULT,
  allowedByRfc: "RFC 5538 §3",
};
const PATTERN_FAULT_OF_RFC_5538: UrlFaultDefinition = {
  ...NON_RFC1738_GROUP_FAULT,
  allowedByRfc: "RFC 5538 §4",
};
const GROUP_ESCAPE_FAULT: UrlFaultDefinition = {
  code: "group-escape",
  section: "3.6",
  message: "the name of a group must not contain escapes",
  allowedByRfc: "RFC 5538 §3",
};
export const NOTHING_AFTER_SLASH_FAULT: UrlFaultDefinition = {
  code: "trailing-slash",
  section: "5",
  message: "the URL ends in a '/' without a group or number after it",
};

export const GROUP_NAME_ADVICE: string =
  "name one group: a letter, then letters, digits, '-', '.', '+' and '_'";

// group-char = ALPHA / DIGIT / "-" / "+" / "_" / "."            RFC 5538 §3
const GROUP_NAME_CHARACTERS = /^[A-Za-z0-9.+_-]+$/;
// A wildmat-pattern of RFC 3977 §4.1 whose "?" is escaped.            RFC 5538 §4
const ENCODED_GROUP_PATTERN = /^(?:[A-Za-z0-9.+_*-]|%2B|%3F)+$/i;
const GROUP_NAME = new RegExp(`^${GROUP_NAME_REGEXP_SOURCE}$`);

/** True when the text is a group name of RFC 1738 §3.6. */
function isGroupName(text: string): boolean {
  return GROUP_NAME.test(text);
}

// RFC 5538 §4: "Any "?" has to be percent-encoded as "%3F"".
const ESCAPED_PLUS_OR_QUESTION_MARK = /%(?:2B|3F)/gi;

/** Decodes the escapes of "+" and "?" in a group name or pattern, which modern mode accepts. */
export function decodeGroupNameEscapes(written: string): string {
  return written.replace(ESCAPED_PLUS_OR_QUESTION_MARK, percentDecodeText);
}

/**
 * Checks whether the characters of a URL from `start` to `end` are a valid newsgroup name. Modern mode also accepts
 * names for which `isLenientName` returns true, and "+" and "?" as escapes, as in `comp.lang.c%2B%2B`.
 */
export function checkGroupNameInUrl(
  diagnostics: ParseDiagnostics,
  start: number,
  end: number,
  isLenientName: (name: string) => boolean,
): boolean {
  const written = diagnostics.urlText.slice(start, end);
  const name = decodeGroupNameEscapes(written);
  if (!isGroupName(name) && !isLenientName(name)) {
    const invalid = Math.max(written.search(/%(?!2B|3F)|[^A-Za-z0-9.+_%-]/i), 0);
    return diagnostics.reportFault(
      BAD_GROUP_URL_FAULT,
      start + invalid,
      Math.min(written.length, 1),
      GROUP_NAME_ADVICE,
    );
  }
  for (const { index, 0: triplet } of written.matchAll(ESCAPED_PLUS_OR_QUESTION_MARK)) {
    const advice = `write "${percentDecodeText(triplet)}"`;
    if (!diagnostics.reportDeviation(GROUP_ESCAPE_FAULT, start + index, 3, advice)) return false;
  }
  if (isGroupName(name)) return true;
  return diagnostics.reportDeviation(
    getGroupFormFault(name, written),
    start,
    written.length,
    GROUP_NAME_ADVICE,
  );
}

/** Returns the URL fault to report for a newsgroup name or pattern that RFC 1738 does not allow. */
function getGroupFormFault(name: string, written: string): UrlFaultDefinition {
  if (GROUP_NAME_CHARACTERS.test(name)) return GROUP_NAME_FAULT_OF_RFC_5538;
  return ENCODED_GROUP_PATTERN.test(written) ? PATTERN_FAULT_OF_RFC_5538 : NON_RFC1738_GROUP_FAULT;
}
