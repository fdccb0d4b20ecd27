import type { AccessContext, MailboxResource } from "@anyscheme/core/plugin";
import type { MailtoPlan } from "./plan.ts";

/** Names the mailbox. Writing to it is for a mail program. */
export function accessMailto(plan: MailtoPlan, context: AccessContext): Promise<MailboxResource> {
  const [naming] = plan.steps;
  if (naming) context.beginStep(naming);
  const { address, headers } = plan;
  // An addr-spec's domain has no "@" but within a domain-literal, and the local part none but within quotes.
  const at = findAtSign(address);
  const localPart = unquote(address.slice(0, at));
  const domain = address.slice(at + 1);
  return Promise.resolve(context.createResource("mailbox", { address, localPart, domain, headers }));
}

// RFC 822 §3.3: quoted-string = <"> *(qtext/quoted-pair) <">
const quotedString = /"((?:[^"\\]|\\.)*)"/gs;

/** The index of the "@" that ends the local part. */
function findAtSign(address: string): number {
  return address.replace(quotedString, (quoted) => "q".repeat(quoted.length)).indexOf("@");
}

/** RFC 822 §3.4.4: quotes and backslashes only protect what they stand before. */
function unquote(localPart: string): string {
  return localPart.replace(quotedString, (_, text: string) => text.replace(/\\(.)/gs, "$1"));
}
