import type { Reading } from "./reading.ts";

// hostname = *[ domainlabel "." ] toplabel, a label being runs of letters and digits with "-" between them            RFC 1738 §5
const label = "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*";
const hostname = `(?:${label}\\.)*[A-Za-z][A-Za-z0-9]*(?:-+[A-Za-z0-9]+)*`;
// hostnumber: each group a number below 256 with one spelling, since it is "its IP address" (§3.1).
const group = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

/** `host = hostname | hostnumber` as the source of a regular expression. RFC 1738 §5. */
export const hostSource: string = `(?:${hostname}|${group}(?:\\.${group}){3})`;

const wholeHost = new RegExp(`^${hostSource}$`);
const wholeName = new RegExp(`^${hostname}$`);
const wholeNumber = new RegExp(`^${group}(?:\\.${group}){3}$`);
const looseLabel = "[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?";
const looseName = new RegExp(`^(?:${looseLabel}\\.)*[A-Za-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\\.?$`);
const ipv6 = /^\[[0-9A-Fa-f:.]+\]$/;

/** No name in the DNS is longer (RFC 1035 §2.3.4). */
const NAME_LIMIT = 255;

/** Whether `text` is a `host` of RFC 1738 §5: a domain name, or four decimal numbers from 0 to 255. */
export function isHost(text: string): boolean {
  return text.length <= NAME_LIMIT ? wholeHost.test(text) : isLongName(text);
}

/** The same for names of any length: labels without end would exhaust the stack of an expression with nested repetitions. */
function isLongName(text: string): boolean {
  const topLabel = text.slice(text.lastIndexOf(".") + 1);
  return /^[A-Za-z0-9.-]*$/.test(text) && !/^[.-]|[.-]$|[.-]\.|\.-/.test(text) && /^[A-Za-z]/.test(topLabel);
}

/** Whether `text` is an address of RFC 1738 §3.1, each number without leading zeros and below 256. */
export function isHostNumber(text: string): boolean {
  return wholeNumber.test(text);
}

/** Checks the host at text[start, end). RFC 1738 §3.1; what tolerant mode adds is in `readings`. */
export function checkHost(reading: Reading, start: number, end: number): boolean {
  const host = reading.text.slice(start, end);
  const length = end - start;
  if (isHost(host)) return true;
  if (host === "") return reading.refuse("empty-host", start, 0, "write the name of a host");
  if (host.includes("%")) {
    return reading.refuse("escape-in-host", start + host.indexOf("%"), 1, "write the character itself");
  }
  if (/^[\x21-\x7e]*$/.test(host)) return checkAsciiHost(reading, host, start);
  const name = asciiName(host);
  if (name === undefined) {
    return reading.refuse("bad-host", start, length, "write the name in US-ASCII, as its registry lists it");
  }
  return reading.depart("host-form", start, length, `write "${name}"`);
}

function checkAsciiHost(reading: Reading, host: string, start: number): boolean {
  const { length } = host;
  if (ipv6.test(host) && isIpv6(host)) {
    return reading.depart(
      "host-form",
      start,
      length,
      "write a name: RFC 1738 has no form for IPv6 addresses",
    );
  }
  if (/(?:^|\.)\d[^.]*\.?$/.test(host)) {
    return reading.refuse("bad-host-number", start, length, "write the address as four decimal numbers");
  }
  if (host.length <= NAME_LIMIT + 1 && looseName.test(host)) {
    const repair = host.endsWith(".") && isHost(host.slice(0, -1));
    return reading.depart(
      "host-form",
      start,
      length,
      repair ? `write "${host.slice(0, -1)}"` : "write a name without '_'",
    );
  }
  const bad = /[^A-Za-z0-9.-]/.exec(host);
  return reading.refuse(
    "bad-host",
    start + (bad?.index ?? 0),
    bad ? 1 : length,
    "write labels of letters, digits and inner '-', separated by dots",
  );
}

/** Whether the text in brackets is an IPv6 address, as the platform's URL reads it. */
function isIpv6(bracketed: string): boolean {
  return URL.canParse(`http://${bracketed}/`);
}

/**
 * The A-label form of a name with characters beyond US-ASCII; undefined when there is none, or when readers would map it
 * in different ways: characters that compatibility folding changes (full-width digits, ligatures), those that some readers
 * drop or take for a dot, and the four that IDNA 2003 and 2008 treat differently.
 */
export function asciiName(host: string): string | undefined {
  // A character has at most two UTF-16 units, and its A-label at least one octet for it.
  if (host.length > 2 * NAME_LIMIT) return undefined;
  const folded = host.toLowerCase();
  if (folded.normalize("NFKC") !== folded || (host !== folded && host.normalize("NFKC") !== host))
    return undefined;
  if (/[\u00df\u03c2\u3002\p{Default_Ignorable_Code_Point}]/u.test(folded)) return undefined;
  if (/[^\u0080-\u{10ffff}A-Za-z0-9.-]/u.test(host)) return undefined;
  const probe = `http://${folded}/`;
  const name = URL.canParse(probe) ? new URL(probe).hostname : "";
  return name.includes("xn--") && wholeName.test(name) ? name : undefined;
}

/**
 * The host as a resolver or a socket takes it: an IPv6 address without brackets, a name in US-ASCII, lower case. The host
 * has passed {@link checkHost}.
 */
export function hostForLookup(host: string): string {
  if (host.startsWith("[")) return host.slice(1, -1).toLowerCase();
  return (asciiName(host) ?? host).toLowerCase();
}

/** The host as `format` writes it: in the form of RFC 1738 §3.1 where it has one, else as it is. */
export function conformHost(host: string): string {
  if (isHost(host)) return host;
  const withoutDot = host.replace(/\.$/, "");
  return asciiName(withoutDot) ?? withoutDot;
}
