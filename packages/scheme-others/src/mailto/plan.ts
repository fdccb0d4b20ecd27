import { AccessError, type Plan } from "@anyscheme/core";
import { rejectControlBytes, makePlan, step, type PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";
import { findAddrSpecFault } from "./addr-spec.ts";
import { decodeHeaderField, type HeaderField } from "./header-fields.ts";
import type { MailtoUrl } from "./syntax.ts";

/** A plan for a mailbox: nothing is done but to name it. */
export interface MailtoPlan extends Plan<MailtoUrl> {
  /** The addr-spec, decoded. */
  readonly address: string;
  readonly headers: readonly HeaderField[];
}

/**
 * RFC 1738 §3.5: the scheme "does not represent a data object to be accessed directly". Throws `refused-characters` for what is no
 * addr-spec, or could not stand in a header.
 */
export function planMailto(url: MailtoUrl, options: PlanOptions = {}): MailtoPlan {
  const { address, fields } = splitHeaders(url);
  const bytes = percentDecode(address);
  const fault = findAddrSpecFault(bytes);
  if (fault) {
    const advice = `byte ${fault.index} of the decoded address`;
    throw new AccessError("refused-characters", `the address is no addr-spec: ${fault.reason}`, { advice });
  }
  // A folded line is part of an addr-spec, and none that a mail program would take.
  rejectControlBytes(bytes, "address", options);
  const decoded = percentDecodeText(address);
  const headers = Object.freeze(fields.map((field) => decodeHeaderField(field, options)));
  const steps = [step("redirect", "3.5", `the mailbox of ${decoded}`)];
  return makePlan(url, steps, { address: decoded, headers });
}

/**
 * The address, and the fields of later practice. All behind the colon is the address to RFC 1738, a "?" included; but where
 * what stands before the "?" is an addr-spec by itself, the whole is none that any host could have.
 */
function splitHeaders(url: MailtoUrl): {
  address: string;
  fields: readonly (readonly [name: string, value: string | undefined])[];
} {
  const { address, headers = [] } = url;
  const mark = address.indexOf("?");
  const before = mark < 0 ? address : address.slice(0, mark);
  const whole = mark < 0 || findAddrSpecFault(percentDecode(before)) !== undefined;
  return whole ? { address, fields: [] } : { address: before, fields: headers };
}
