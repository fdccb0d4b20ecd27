import type { Fault } from "./deviation.ts";
import type { Diagnostics } from "./diagnostics.ts";

const ESCAPE_IN_HOST: Fault = { code: "escape-in-host", section: "3.1", message: "a host has no escapes" };
const BAD_HOST_NUMBER: Fault = {
  code: "bad-host-number",
  section: "3.1",
  message: "an address has exactly four decimal numbers from 0 to 255 without leading zeros",
};

/** The host is absent where one is required. */
export const EMPTY_HOST: Fault = { code: "empty-host", section: "3.1", message: "the host is missing" };
/** The text is an invalid host in every mode. */
export const BAD_HOST: Fault = {
  code: "bad-host",
  section: "3.1",
  message: "the host is neither a domain name nor four decimal numbers",
};
/** The host has a form of later standards: an IPv6 address, or a name with "_" or non-ASCII characters. */
export const HOST_FORM: Fault = {
  code: "host-form",
  section: "3.1",
  message: "the host has a form that RFC 1738 does not know",
};

/** The maximum length of a name in the DNS (RFC 1035 §2.3.4). */
const NAME_LIMIT = 255;

// hostname = *[ domainlabel "." ] toplabel            RFC 1738 §5
const label = "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*";
const hostname = `(?:${label}\\.)*[A-Za-z][A-Za-z0-9]*(?:-+[A-Za-z0-9]+)*`;
// hostnumber: each group a number below 256 with one spelling, since it is "its IP address" (§3.1).
const group = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

/** `host = hostname | hostnumber` as the source of a regular expression. RFC 1738 §5. */
export const hostSource: string = `(?:${hostname}|${group}(?:\\.${group}){3})`;

const wholeHost = new RegExp(`^${hostSource}$`);

/** True for a `host` of RFC 1738 §5: a domain name or an IPv4 address. */
export function isHost(text: string): boolean {
  if (text.length <= NAME_LIMIT) return wholeHost.test(text);
  // Very long names would exhaust the stack of an expression with nested repetitions.
  const topLabel = text.slice(text.lastIndexOf(".") + 1);
  return /^[A-Za-z]/.test(topLabel) && !/[^A-Za-z0-9.-]|^[.-]|[.-]$|[.-]\.|\.-/.test(text);
}

/** True for an address of RFC 1738 §3.1: four numbers below 256 without leading zeros. */
export function isHostNumber(text: string): boolean {
  // A text without a letter is no name.
  return /^[\d.]*$/.test(text) && isHost(text);
}

/** Checks the host at text[start, end). Tolerant mode also accepts forms of later standards. RFC 1738 §3.1. */
export function checkHost(diagnostics: Diagnostics, start: number, end: number): boolean {
  const host = diagnostics.text.slice(start, end);
  if (isHost(host)) return true;
  const [fault, suggestion, at = -1] = faultForHost(host);
  const isLetIn = fault === HOST_FORM;
  return at < 0
    ? diagnostics.reportDeviation(fault, start, host.length, suggestion, isLetIn)
    : diagnostics.reportFault(fault, start + at, 1, suggestion);
}

/** Returns the fault of an invalid host, the suggestion, and the index of a single wrong character. */
function faultForHost(host: string): readonly [fault: Fault, suggestion: string, at?: number] {
  if (host === "") return [EMPTY_HOST, "write the name of a host"];
  if (host.includes("%")) return [ESCAPE_IN_HOST, "write the character itself", host.indexOf("%")];
  if (!/^[!-~]*$/.test(host)) {
    const name = asciiName(host);
    return name === undefined ? [BAD_HOST, "write the name in US-ASCII"] : [HOST_FORM, `write "${name}"`];
  }
  if (/^\[[0-9A-Fa-f:.]+\]$/.test(host) && platformHost(host) !== undefined)
    return [HOST_FORM, "write a name: RFC 1738 has no IPv6 addresses"];
  if (/(?:^|\.)\d[^.]*\.?$/.test(host)) return [BAD_HOST_NUMBER, "write the address as four decimal numbers"];
  const name = stripFinalDot(host);
  if (isHost(name)) return [HOST_FORM, `write "${name}", unless a search list would change it`];
  if (isHost(name.replaceAll("_", "a"))) return [HOST_FORM, "write a name without '_'"];
  const advice = "write letters, digits and inner '-' between dots";
  return [BAD_HOST, advice, host.search(/[^A-Za-z0-9.-]/)];
}

/**
 * Returns the host in the form of the platform's `URL`. Names are in lower case with A-labels, IPv6 addresses as in RFC
 * 5952.
 */
export function platformHost(host: string): string | undefined {
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    return undefined;
  }
}

/**
 * Returns the A-label form of a name with non-ASCII characters. Returns `undefined` for an invalid name, and for a name
 * that parsers map in different ways. Such names have characters that compatibility folding changes, as full-width
 * digits and ligatures. Other such characters are dropped or read as a dot by some parsers. IDNA 2003 and IDNA 2008
 * treat four characters differently.
 */
export function asciiName(host: string): string | undefined {
  // A character has at most two UTF-16 units, and needs at least one byte of the A-label.
  if (host.length > 2 * NAME_LIMIT) return undefined;
  const folded = host.toLowerCase();
  if (folded.normalize("NFKC") !== folded || (host !== folded && host.normalize("NFKC") !== host))
    return undefined;
  if (/[\u00df\u03c2\u3002\p{Default_Ignorable_Code_Point}]|[^\u0080-\u{10ffff}A-Za-z0-9.-]/u.test(folded))
    return undefined;
  const name = platformHost(folded);
  return name?.includes("xn--") && isHost(stripFinalDot(name)) ? name : undefined;
}

/**
 * Returns the host in the form that resolvers and sockets accept. A name is in US-ASCII and lower case. An IPv6 address
 * is as in RFC 5952, without brackets. A final dot stays. The host has passed {@link checkHost}.
 */
export function hostForLookup(host: string): string {
  // Most hosts are already in this form.
  if (/^[a-z\d.-]+$/.test(host)) return host;
  // An address always has the same spelling on the wire.
  if (host.startsWith("[")) return (platformHost(host) ?? host).slice(1, -1).toLowerCase();
  return (asciiName(host) ?? host).toLowerCase();
}

/**
 * Returns the host for `format`, if possible in the form of RFC 1738 §3.1. A final dot stays, because a resolver may
 * append a name of its search list to other names (RFC 1034 §3.1).
 */
export function formatHost(host: string): string {
  return isHost(host) ? host : (asciiName(host) ?? host);
}

function stripFinalDot(host: string): string {
  return host.replace(/\.$/, "");
}
