import { AccessError, type Plan } from "@anyscheme/core";
import { rejectControlBytes, makePlan, step, type PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";
import { findAddrSpecFault } from "./addr-spec.ts";
import { decodeHeaderField, type HeaderField } from "./header-fields.ts";
import type { MailtoUrl } from "./syntax.ts";

/** The plan of a mailbox. The only step of this plan names the mailbox. */
export interface MailtoPlan extends Plan<MailtoUrl> {
  /** The decoded addr-spec. */
  readonly address: string;
  readonly headers: readonly HeaderField[];
}

/**
 * Plans the access to a mailbox. RFC 1738 §3.5: the scheme "does not represent a data object to be accessed
 * directly". Throws `refused-characters` for an invalid addr-spec, and for an address that a header cannot contain.
 */
export function planMailto(url: MailtoUrl, options: PlanOptions = {}): MailtoPlan {
  const { address, fields } = splitHeaders(url);
  const bytes = percentDecode(address);
  const fault = findAddrSpecFault(bytes);
  if (fault) {
    const advice = `byte ${fault.index} of the decoded address`;
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
 * contains a "?". Text with an addr-spec before the "?" is therefore not an addr-spec itself.
 */
function splitHeaders(url: MailtoUrl): {
  address: string;
  fields: readonly (readonly [name: string, value: string | undefined])[];
} {
  const { address, headers = [] } = url;
  const mark = address.indexOf("?");
  const before = mark < 0 ? address : address.slice(0, mark);
  const isAddressOnly = mark < 0 || findAddrSpecFault(percentDecode(before)) !== undefined;
  return isAddressOnly ? { address, fields: [] } : { address: before, fields: headers };
}
