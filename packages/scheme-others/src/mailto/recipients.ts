import { percentDecode } from "@anyscheme/core/syntax";
import { type MailAddressFault, findAsciiAddrSpecFault, findMailAddressFault } from "./addr-spec.ts";
import { type ParsedMailtoHeaderField, parseMailtoHeaderFields } from "./header-fields.ts";

/** The recipients and header fields of a mailto URL. If `fault` is defined, the mailto URL names no mailbox. */
export interface RecipientsAndHeaders {
  /** The decoded addresses of the recipients, in bytes. */
  readonly addresses: readonly Uint8Array[];
  readonly fields: readonly ParsedMailtoHeaderField[];
  readonly fault: MailAddressFault | undefined;
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;

/**
 * Parses the mail address of RFC 1738 §3.5. The header fields follow the "?" if the text before the "?" is an
 * addr-spec. The "?" belongs to no mail address, because no host name contains a "?".
 */
export function parseRfc1738RecipientAndHeaders(text: string): RecipientsAndHeaders {
  const mark = text.indexOf("?");
  const before = percentDecode(text.slice(0, Math.max(mark, 0)));
  if (mark >= 0 && findAsciiAddrSpecFault(before) === undefined)
    return { addresses: [before], fields: parseMailtoHeaderFields(text), fault: undefined };
  const address = percentDecode(text);
  return { addresses: [address], fields: [], fault: findAsciiAddrSpecFault(address) };
}

/** A decoded mail address, and the index of its first byte in the decoded text after "mailto:". */
interface ListedAddress {
  readonly bytes: Uint8Array;
  readonly start: number;
}

/**
 * Parses a mailto URL of RFC 6068 §2: recipients with commas between them, header fields after the "?", and more
 * recipients in the fields `to`. A URL without commas and "?" contains a single address, as in RFC 1738 §3.5.
 */
export function parseRfc6068Recipients(text: string): RecipientsAndHeaders {
  const mark = text.indexOf("?");
  const before = mark < 0 ? text : text.slice(0, mark);
  const fields = parseMailtoHeaderFields(text);
  const hasNoAddress = before === "" && fields.every(({ encodedValue }) => encodedValue !== undefined);
  const own = hasNoAddress ? [] : splitRecipients(percentDecode(before));
  const ownFault = findFirstFault(own);
  if (ownFault) {
    const single = parseRfc1738RecipientAndHeaders(text);
    return { ...single, fault: single.fault && ownFault };
  }
  const others = fields.flatMap(({ name, encodedValue = "", valueStart }) =>
    name === "to" && encodedValue !== "" ? splitRecipients(percentDecode(encodedValue), valueStart) : [],
  );
  const addresses = [...own, ...others].map(({ bytes }) => bytes);
  return { addresses, fields, fault: findFirstFault(others) };
}

/** Splits a list of addresses at the commas outside quoted strings, and removes blanks around them. RFC 6068 §2. */
function splitRecipients(list: Uint8Array, offset = 0): ListedAddress[] {
  const addresses: ListedAddress[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index <= list.length; index++) {
    const byte = list[index];
    if (isQuoted && byte === BACKSLASH) index++;
    else if (byte === QUOTE) isQuoted = !isQuoted;
    if (index < list.length && (isQuoted || byte !== COMMA)) continue;
    while (start < index && list[start] === BLANK) start++;
    let end = Math.min(index, list.length);
    while (end > start && list[end - 1] === BLANK) end--;
    addresses.push({ bytes: list.subarray(start, end), start: offset + start });
    start = index + 1;
  }
  return addresses;
}

function findFirstFault(addresses: readonly ListedAddress[]): MailAddressFault | undefined {
  for (const { bytes, start } of addresses) {
    const fault = findMailAddressFault(bytes);
    if (fault) return { ...fault, index: start + fault.index };
  }
  return undefined;
}
