import type { AccessContext, MailboxResource } from "@anyscheme/core/plugin";
import type { MailtoPlan } from "./plan.ts";

/** Returns the mailbox. */
export function accessMailto(plan: MailtoPlan, context: AccessContext): Promise<MailboxResource> {
  const [step] = plan.steps;
  if (step) context.beginStep(step);
  const { address, headers } = plan;
  // An "@" in the local part of an addr-spec is always within a quoted string.
  const at = findAtSign(address);
  const localPart = unquoteLocalPart(address.slice(0, at));
  const domain = address.slice(at + 1);
  return Promise.resolve(context.createResource("mailbox", { address, localPart, domain, headers }));
}

// RFC 822 §3.3: quoted-string = <"> *(qtext/quoted-pair) <">
const QUOTED_STRING = /"((?:[^"\\]|\\.)*)"/gs;

/** Returns the index of the "@" that ends the local part. */
function findAtSign(address: string): number {
  return address.replace(QUOTED_STRING, (quoted) => "q".repeat(quoted.length)).indexOf("@");
}

/** Removes the quotes and backslashes of quoted strings, which are not part of the local part. RFC 822 §3.4.4. */
function unquoteLocalPart(localPart: string): string {
  return localPart.replace(QUOTED_STRING, (_, text: string) => text.replace(/\\(.)/gs, "$1"));
}
