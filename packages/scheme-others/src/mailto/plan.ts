import { AccessError, type Plan } from "@anyscheme/core";
import {
  bytesToLatin1,
  latin1ToBytes,
  makePlan,
  type PlanOptions,
  rejectControlBytes,
  step,
} from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";
import { findAddrSpecFault } from "./addr-spec.ts";
import type { MailtoUrl } from "./syntax.ts";

/** The decoded name and value of a header field. */
export type HeaderField = readonly [name: string, value: string];

/** The plan of a mailto URL. The plan has one step, which names the mailbox. */
export interface MailtoPlan extends Plan<MailtoUrl> {
  /** The decoded addr-spec. */
  readonly address: string;
  readonly headers: readonly HeaderField[];
}

/**
 * Plans the access to the mailbox of a mailto URL. RFC 1738 §3.5: the scheme "does not represent a data object to be
 * accessed directly". Throws `refused-characters` for an invalid addr-spec, and for an address that a mail header
 * cannot contain.
 */
export function planMailto(url: MailtoUrl, options: PlanOptions = {}): MailtoPlan {
  const { address, fields } = splitAddressAndHeaders(url);
  const bytes = percentDecode(address);
  const fault = findAddrSpecFault(bytes);
  if (fault) {
    const advice = `the fault is at byte ${fault.index} of the decoded address`;
    throw new AccessError("refused-characters", `the address is not an addr-spec: ${fault.reason}`, {
      advice,
    });
  }
  // RFC 822 permits a folded line in an addr-spec, but mail programs reject it.
  rejectControlBytes(bytes, "address", options);
  const decoded = percentDecodeText(address);
  const headers = Object.freeze(fields.map((field) => decodeHeaderField(field, options)));
  const steps = [step("redirect", "3.5", `the mailbox of ${decoded}`)];
  return makePlan(url, steps, { address: decoded, headers });
}

/**
 * Splits the header fields of RFC 6068 from the address. RFC 1738 makes a "?" part of the address, but no domain
 * contains a "?". If the text before the "?" is an addr-spec, the text with the "?" is not an addr-spec.
 */
function splitAddressAndHeaders(url: MailtoUrl): {
  address: string;
  fields: readonly (readonly [name: string, value: string | undefined])[];
} {
  const { address, headers = [] } = url;
  const mark = address.indexOf("?");
  const before = mark < 0 ? address : address.slice(0, mark);
  const isAddressOnly = mark < 0 || findAddrSpecFault(percentDecode(before)) !== undefined;
  return isAddressOnly ? { address, fields: [] } : { address: before, fields: headers };
}

// RFC 822 §3.1.2: "The field-name must be composed of printable ASCII characters (i.e., characters that have values between
// 33. and 126., decimal, except colon)."
const FIELD_NAME = /^[!-9;-~]+$/;

/**
 * Decodes a header field of RFC 6068. Converts the name of the field to lower case. Throws `refused-characters` for a
 * line end in any field but `body`, because it would begin another header field.
 */
function decodeHeaderField(
  [name, value = ""]: readonly [name: string, value: string | undefined],
  options: PlanOptions,
): HeaderField {
  const decoded = percentDecodeText(name).toLowerCase();
  if (!FIELD_NAME.test(decoded)) {
    throw new AccessError("refused-characters", "the name of a header field is invalid");
  }
  const bytes = percentDecode(value);
  if (decoded === "body") checkBodyLines(bytes, options);
  else rejectControlBytes(bytes, `header field ${decoded}`, options);
  return Object.freeze([decoded, percentDecodeText(value)] as const);
}

/**
 * Checks the lines of the message body in a mailto URL. RFC 6068 §5: "line breaks in the body of a message MUST be
 * encoded with "%0D%0A"". The message body may also contain tabs.
 */
function checkBodyLines(bytes: Uint8Array, options: PlanOptions): void {
  for (const line of bytesToLatin1(bytes).split("\r\n"))
    rejectControlBytes(latin1ToBytes(line.replaceAll("\t", " ")), "body", options);
}
