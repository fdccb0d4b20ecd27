import type { UrlFaultDefinition } from "./faults/syntax-fault.ts";
import type { ParseDiagnostics } from "./faults/parse-fault-recorder.ts";

const ESCAPE_IN_HOST: UrlFaultDefinition = {
  code: "escape-in-host",
  section: "3.1",
  message: "a host has no escapes",
};
const ZONE_ID: UrlFaultDefinition = {
  code: "zone-id",
  section: "3.1",
  message: "the IPv6 address of a URL has no zone identifier",
};
const BAD_HOST_NUMBER: UrlFaultDefinition = {
  code: "bad-host-number",
  section: "3.1",
  message: "an address has exactly four decimal numbers from 0 to 255 without leading zeros",
};

/** The fault of a URL without a host, in a scheme that requires a host. */
export const EMPTY_HOST_FAULT: UrlFaultDefinition = {
  code: "empty-host",
  section: "3.1",
  message: "the host is missing",
};
/** The fault of a host that is invalid in every mode. */
export const INVALID_HOST_FAULT: UrlFaultDefinition = {
  code: "bad-host",
  section: "3.1",
  message: "the host is neither a domain name nor four decimal numbers",
};
/** The host has a form of later standards: an IPv6 address, or a name with "_" or non-ASCII characters. */
export const NON_RFC1738_HOST_FAULT: UrlFaultDefinition = {
  code: "host-form",
  section: "3.1",
  message: "the host has a form that RFC 1738 does not define",
};

const LATER_HOST_FORM_FAULT: UrlFaultDefinition = {
  ...NON_RFC1738_HOST_FAULT,
  allowedByRfc: "RFC 3986 §3.2.2",
};
const BAD_A_LABEL_FAULT: UrlFaultDefinition = {
  code: "bad-a-label",
  section: "3.1",
  message: "a label begins with 'xn--', but cannot be decoded to Unicode",
};

/** The maximum length of a name in the DNS (RFC 1035 §2.3.4). */
const MAX_DNS_NAME_LENGTH = 255;

// hostname = *[ domainlabel "." ] toplabel            RFC 1738 §5
const hostLabelPattern = "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*";
const hostnameRegExpSource = `(?:${hostLabelPattern}\\.)*[A-Za-z][A-Za-z0-9]*(?:-+[A-Za-z0-9]+)*`;
// hostnumber: each group is a number below 256 without leading zeros, because the host is "its IP address" (§3.1).
const ipv4GroupPattern = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

/** `host = hostname | hostnumber` as the source of a regular expression. RFC 1738 §5. */
export const hostRegExpSource: string = `(?:${hostnameRegExpSource}|${ipv4GroupPattern}(?:\\.${ipv4GroupPattern}){3})`;

const wholeHostRegExp = new RegExp(`^${hostRegExpSource}$`);

/** True for a `host` of RFC 1738 §5: a domain name or an IPv4 address. */
export function isHost(text: string): boolean {
  if (text.length <= MAX_DNS_NAME_LENGTH) return wholeHostRegExp.test(text);
  // Very long names would exhaust the stack of an expression with nested repetitions.
  const topLabel = text.slice(text.lastIndexOf(".") + 1);
  return /^[A-Za-z]/.test(topLabel) && !/[^A-Za-z0-9.-]|^[.-]|[.-]$|[.-]\.|\.-/.test(text);
}

/** True for an address of RFC 1738 §3.1: four numbers below 256 without leading zeros. */
export function isDottedDecimalAddress(text: string): boolean {
  // A text without letters cannot be a domain name.
  return /^[\d.]*$/.test(text) && isHost(text);
}

/** Checks the host at text[start, end). Modern mode also accepts hosts in forms of later standards. RFC 1738 §3.1. */
export function checkHostSyntax(diagnostics: ParseDiagnostics, start: number, end: number): boolean {
  const host = diagnostics.urlText.slice(start, end);
  if (isHost(host) && (diagnostics.mode === "rfc1738" || hasValidALabels(host))) return true;
  const [fault, suggestion, at = -1] = faultForHost(host);
  const isAccepted = fault.code === NON_RFC1738_HOST_FAULT.code;
  return at < 0
    ? diagnostics.reportDeviation(fault, start, host.length, suggestion, isAccepted)
    : diagnostics.reportFault(fault, start + at, 1, suggestion);
}

/** Returns the fault of an invalid host, the suggestion, and the index of a single wrong character. */
function faultForHost(host: string): readonly [fault: UrlFaultDefinition, suggestion: string, at?: number] {
  if (host === "") return [EMPTY_HOST_FAULT, "write the name of a host"];
  // RFC 9844 withdrew the syntax of RFC 6874, as in [fe80::1%25eth0].
  const [, zone] = /^\[[^%\]]*(%[^\]]*)\]?$/.exec(host) ?? [];
  if (zone !== undefined) return [ZONE_ID, 'leave the "%" and the zone out', host.indexOf("%")];
  if (host.includes("%")) return [ESCAPE_IN_HOST, "write the character itself", host.indexOf("%")];
  if (!/^[!-~]*$/.test(host)) {
    const name = toAsciiHostName(host);
    if (name !== undefined)
      return [{ ...NON_RFC1738_HOST_FAULT, allowedByRfc: "RFC 3987 §2.2" }, `write "${name}"`];
    const mapped = normalizeHostByPlatform(host);
    return [
      INVALID_HOST_FAULT,
      mapped === undefined ? "write the name in US-ASCII" : `write "${mapped}" if you mean that`,
    ];
  }
  if (/^\[[0-9A-Fa-f:.]+\]$/.test(host) && normalizeHostByPlatform(host) !== undefined)
    return [LATER_HOST_FORM_FAULT, "write a name: RFC 1738 has no IPv6 addresses"];
  if (/(?:^|\.)\d[^.]*\.?$/.test(host)) return [BAD_HOST_NUMBER, "write the address as four decimal numbers"];
  const name = stripFinalDot(host);
  if (!hasValidALabels(name)) return [BAD_A_LABEL_FAULT, "write the name in Unicode"];
  if (isHost(name)) return [LATER_HOST_FORM_FAULT, `write "${name}", unless a search list would change it`];
  if (isHost(name.replace(/_|(?<![^.])-|-(?![^.])/g, "a")))
    return [LATER_HOST_FORM_FAULT, "write a name without '_' and without '-' at the end of a label"];
  const advice = "write letters, digits and inner '-' between dots";
  return [INVALID_HOST_FAULT, advice, host.search(/[^A-Za-z0-9.-]/)];
}

/** The global object with `process.getBuiltinModule` of Node.js, which browsers lack. */
const nodeRuntime = globalThis as {
  readonly process?: { getBuiltinModule?(id: "node:url"): { domainToUnicode(name: string): string } };
};

/** True when each label that begins with "xn--" is an A-label. RFC 5890 §2.3.2.1. */
function hasValidALabels(name: string): boolean {
  if (!/(?:^|\.)xn--/i.test(name)) return true;
  // The class `URL` of Node.js accepts malformed A-labels, unlike the class of browsers.
  const url = nodeRuntime.process?.getBuiltinModule?.("node:url");
  return url ? !/(?:^|\.)xn--/i.test(url.domainToUnicode(name)) : normalizeHostByPlatform(name) !== undefined;
}

/**
 * Returns the host in the form of the platform's `URL`. Names are in lower case with A-labels, IPv6 addresses as in RFC
 * 5952.
 */
export function normalizeHostByPlatform(host: string): string | undefined {
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    return undefined;
  }
}

/**
 * Returns the A-label form of a name with non-ASCII characters. Returns `undefined` for an invalid host name, and for a
 * host name that URL parsers map to different A-labels. Parsers differ in full-width digits and ligatures, for example,
 * which compatibility folding changes. Some parsers also drop characters of a host name or read them as a dot. The
 * mapping is non-transitional (UTS 46), so that "ß" stays a letter of its own.
 */
export function toAsciiHostName(host: string): string | undefined {
  // A character has at most two UTF-16 units, and needs at least one byte of the A-label.
  if (host.length > 2 * MAX_DNS_NAME_LENGTH) return undefined;
  // Each character is converted separately, because toLowerCase converts a sigma differently at the end of a word.
  const folded = Array.from(host, (character) => character.toLowerCase()).join("");
  if (folded.normalize("NFKC") !== folded || (host !== folded && host.normalize("NFKC") !== host))
    return undefined;
  if (/[\u3002\p{Default_Ignorable_Code_Point}]|[^\u0080-\u{10ffff}A-Za-z0-9.-]/u.test(folded))
    return undefined;
  const name = normalizeHostByPlatform(host);
  const isName = name?.includes("xn--") && isHost(stripFinalDot(name));
  return isName && (folded === host || normalizeHostByPlatform(folded) === name) ? name : undefined;
}

/**
 * Returns the host in the form that resolvers and sockets accept. A name is in US-ASCII and lower case. An IPv6 address
 * is as in RFC 5952, without brackets. A final dot of a name is kept. The caller has checked the host with {@link
 * checkHostSyntax}.
 */
export function hostForLookup(host: string): string {
  // Most hosts are already in lower case and US-ASCII.
  if (/^[a-z\d.-]+$/.test(host)) return host;
  // `hostForLookup` returns the same text for every spelling of an IPv6 address.
  if (host.startsWith("[")) return (normalizeHostByPlatform(host) ?? host).slice(1, -1).toLowerCase();
  return (toAsciiHostName(host) ?? host).toLowerCase();
}

/**
 * Returns the host for `format`, if possible in the form of RFC 1738 §3.1. A final dot stays, because a resolver may
 * append a name of its search list to other names (RFC 1034 §3.1).
 */
export function formatHostAsAscii(host: string): string {
  return isHost(host) ? host : (toAsciiHostName(host) ?? host);
}

function stripFinalDot(host: string): string {
  return host.replace(/\.$/, "");
}
