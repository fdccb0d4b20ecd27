/** The closed list of syntax faults. */
export type FaultCode =
  | "missing-scheme"
  | "bad-scheme"
  | "wrong-scheme"
  | "wrapper-prefix"
  | "too-long"
  | "missing-slashes"
  | "missing-slash"
  | "single-slash"
  | "login-not-allowed"
  | "port-not-allowed"
  | "at-sign"
  | "empty-host"
  | "bad-host"
  | "bad-host-number"
  | "escape-in-host"
  | "host-form"
  | "bad-port"
  | "port-range"
  | "empty-port"
  | "bad-escape"
  | "control"
  | "space"
  | "delimiter"
  | "backslash"
  | "unsafe"
  | "non-ascii"
  | "lone-surrogate"
  | "reserved"
  | "fragment"
  | "bad-typecode"
  | "type-keyword"
  | "bad-path"
  | "bad-gophertype"
  | "tab-in-field"
  | "empty-address"
  | "bad-group"
  | "group-form"
  | "bad-message-id"
  | "id-brackets"
  | "server-not-allowed"
  | "trailing-slash"
  | "bad-article-number"
  | "bad-wais-path"
  | "bad-field";

/**
 * What a text can do that RFC 1738 does not allow. Each code has the section that it offends and one sentence; what to
 * write instead depends on the place and is the deviation's `suggestion`.
 */
export const FAULTS: Readonly<Record<FaultCode, readonly [section: string, sentence: string]>> = {
  "missing-scheme": ["2.1", "a URL begins with a scheme name and a colon"],
  "bad-scheme": ["2.1", "a scheme name consists of letters, digits, '+', '.' and '-'"],
  "wrong-scheme": ["2.1", "the URL is of another scheme"],
  "wrapper-prefix": ["Appendix", "'URL:' is the prefix of a wrapper and no scheme"],
  "too-long": ["2", "the URL is longer than the limit"],
  "missing-slashes": ["3.1", "the scheme-specific part begins with '//'"],
  "missing-slash": ["5", "a '/' has to follow the host"],
  "single-slash": ["3.10", "the '//' before the host is missing"],
  "login-not-allowed": ["3", "the scheme has no user name and password"],
  "port-not-allowed": ["5", "the scheme has no port"],
  "at-sign": ["3.1", "a '@' within a user name or password has to be encoded"],
  "empty-host": ["3.1", "the host is missing"],
  "bad-host": ["3.1", "the host is neither a domain name nor an address of four decimal numbers"],
  "bad-host-number": [
    "3.1",
    "an address has exactly four decimal numbers from 0 to 255 without leading zeros",
  ],
  "escape-in-host": ["3.1", "a host is written without escapes"],
  "host-form": ["3.1", "the host has a form that RFC 1738 does not know"],
  "bad-port": ["3.1", "a port is a decimal number"],
  "port-range": ["3.1", "a port is at most 65535"],
  "empty-port": ["3.1", "if the port is omitted, the colon is as well"],
  "bad-escape": ["2.2", "'%' has to be followed by two hexadecimal digits"],
  control: ["2.2", "a control character has to be encoded"],
  space: ["2.2", "a blank has to be encoded"],
  delimiter: ["2.2", "the character delimits URLs in text and has to be encoded"],
  backslash: ["2.2", "a backslash is read in two ways and has to be encoded"],
  unsafe: ["2.2", "the character is unsafe and has to be encoded"],
  "non-ascii": ["2.2", "only US-ASCII characters may be written, other octets have to be encoded"],
  "lone-surrogate": ["2.2", "half a surrogate pair is no character"],
  reserved: ["2.2", "the character is reserved here and has to be encoded"],
  fragment: ["2.2", "a fragment identifier is not part of a URL"],
  "bad-typecode": ["3.2.2", "the typecode is one of 'a', 'i' and 'd'"],
  "type-keyword": ["5", "the keyword ';type=' is written in lower case"],
  "bad-path": ["3.8", "only a '/' may follow the host"],
  "bad-gophertype": ["3.4.1", "the gophertype is a single character or escape"],
  "tab-in-field": ["3.4.1", "a tab ends a selector and a search string and is part of neither"],
  "empty-address": ["3.5", "the address is missing"],
  "bad-group": ["3.6", "the name of the group is missing or is no name"],
  "group-form": ["3.6", "the name of the group has a form that RFC 1738 does not know"],
  "bad-message-id": ["3.6", "a message identifier has the form <unique>@<full_domain_name>"],
  "id-brackets": ["3.6", "a message identifier is written without the enclosing '<' and '>'"],
  "server-not-allowed": ["3.6", "a news URL names no server"],
  "trailing-slash": ["5", "nothing follows the last '/'"],
  "bad-article-number": ["3.7", "an article number is a decimal number"],
  "bad-wais-path": ["3.9", "a path is <database>, <database>?<search> or <database>/<wtype>/<wpath>"],
  "bad-field": ["3.11", "a field is written as <name>=<value>"],
};

/** A place where a text departs from RFC 1738. `index` and `length` count UTF-16 units of the text as given. */
export interface Deviation {
  readonly code: FaultCode;
  readonly index: number;
  readonly length: number;
  /** The section of RFC 1738, as in `"3.1"`. */
  readonly section: string;
  readonly message: string;
  /** What to do about it: `write "%7E"`. */
  readonly suggestion: string;
}

/**
 * Thrown by `parse` for a text that is no URL of the scheme. Holds the fault's fields; neither the message nor the fields
 * repeat the text, which may hold a password. RFC 1738 §2, §3, §5.
 */
export class UrlSyntaxError extends Error implements Deviation {
  override readonly name = "UrlSyntaxError";
  readonly code: FaultCode;
  readonly index: number;
  readonly length: number;
  readonly section: string;
  readonly suggestion: string;

  constructor(fault: Deviation) {
    super(
      `${fault.message} (offset ${fault.index}, RFC 1738 ${sectionName(fault.section)}): ${fault.suggestion}`,
    );
    this.code = fault.code;
    this.index = fault.index;
    this.length = fault.length;
    this.section = fault.section;
    this.suggestion = fault.suggestion;
  }
}

/** `§3.1`, or the Appendix by its name. */
export function sectionName(section: string): string {
  return /^\d/.test(section) ? `§${section}` : section;
}
