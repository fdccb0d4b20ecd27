import { AccessError, type Plan, type MailRecipient } from "@anyscheme/core";
import {
  bytesToLatin1,
  latin1ToBytes,
  createPlan,
  type PlanOptions,
  rejectControlBytes,
  createStep,
} from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";
import type { ParsedMailtoHeaderField } from "./header-fields.ts";
import { type MailtoUrl, parseRecipientsAndHeaders } from "./syntax.ts";

/** The decoded name and value of a header field in a mailto URL. The name of the header field is in lower case. */
export type MailtoHeaderField = readonly [name: string, value: string];

/** The plan of a mailto URL, with one step that names the mailbox. */
export interface MailtoPlan extends Plan<MailtoUrl> {
  /** The recipients. A mailto URL as defined in RFC 1738 has a single recipient. */
  readonly recipients: readonly MailRecipient[];
  readonly headers: readonly MailtoHeaderField[];
}

/**
 * Plans the access to the mailboxes of a mailto URL. RFC 1738 §3.5: the scheme "does not represent a data object to be
 * accessed directly". Modern mode reads several recipients (RFC 6068). Throws `refused-characters` for an invalid
 * address, and for an address that a mail header cannot contain.
 */
export function planMailto(url: MailtoUrl, options: PlanOptions = {}): MailtoPlan {
  const { addresses, fields, fault } = parseRecipientsAndHeaders(url);
  if (fault) {
    const advice = `the fault is at byte ${fault.index} of the decoded address`;
    throw new AccessError("refused-characters", `the address is not an addr-spec: ${fault.reason}`, {
      advice,
    });
  }
  // RFC 822 permits a folded line in an addr-spec, but mail programs reject it.
  for (const address of addresses) rejectControlBytes(address, "address", options);
  const recipients = Object.freeze(addresses.map(createRecipient));
  const headers = Object.freeze(fields.map((field) => decodeHeaderField(field, options)));
  const names = recipients.map(({ address }) => address).join(", ");
  const steps = [
    createStep("redirect", "3.5", names === "" ? "a message without recipients" : `the mailbox of ${names}`),
  ];
  return createPlan(url, steps, { recipients, headers });
}

// RFC 822 §3.1.2: "The field-name must be composed of printable ASCII characters (i.e., characters that have values
// between 33. and 126., decimal, except colon)."
const HEADER_FIELD_NAME = /^[!-9;-~]+$/;

/**
 * Checks a header field of RFC 6068, and decodes its value. Throws `refused-characters` for a line end in any field but
 * `body`, because a line end would begin another header field.
 */
function decodeHeaderField(
  { name, encodedValue = "" }: ParsedMailtoHeaderField,
  options: PlanOptions,
): MailtoHeaderField {
  if (!HEADER_FIELD_NAME.test(name)) {
    throw new AccessError("refused-characters", "the name of a header field is invalid");
  }
  const bytes = percentDecode(encodedValue);
  if (name === "body") checkBodyLines(bytes, options);
  else rejectControlBytes(bytes, `header field ${name}`, options);
  return Object.freeze([name, percentDecodeText(encodedValue)] as const);
}

/**
 * Checks the lines of the message body in a mailto URL. RFC 6068 §5: "line breaks in the body of a message MUST be
 * encoded with "%0D%0A"". The header field `body` of a mailto URL may also contain tabs.
 */
function checkBodyLines(bytes: Uint8Array, options: PlanOptions): void {
  for (const line of bytesToLatin1(bytes).split("\r\n"))
    rejectControlBytes(latin1ToBytes(line.replaceAll("\t", " ")), "body", options);
}

/** Splits a valid mail address into local part and domain. */
function createRecipient(bytes: Uint8Array): MailRecipient {
  const address = new TextDecoder().decode(bytes);
  // An "@" in the local part of an addr-spec is always within a quoted string.
  const at = findAtSign(address);
  const localPart = unquoteLocalPart(address.slice(0, at));
  return Object.freeze({ address, localPart, domain: address.slice(at + 1) });
}

// RFC 822 §3.3: quoted-string = <"> *(qtext/quoted-pair) <">
const QUOTED_STRING = /"((?:[^"\\]|\\.)*)"/gs;

/** Returns the index of the "@" that ends the local part of a mail address. */
function findAtSign(address: string): number {
  return address.replace(QUOTED_STRING, (quoted) => "q".repeat(quoted.length)).indexOf("@");
}

/**
 * Removes the quotes and backslashes of a quoted local part, because they are not part of its value. RFC 822 §3.4.4.
 */
function unquoteLocalPart(localPart: string): string {
  return localPart.replace(QUOTED_STRING, (_, text: string) => text.replace(/\\(.)/gs, "$1"));
}
