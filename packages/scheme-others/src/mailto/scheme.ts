import type { MailboxResource, Scheme } from "@anyscheme/core";
import { accessMailto } from "./access.ts";
import { type MailtoPlan, planMailto } from "./plan.ts";
import { mailtoSyntax, type MailtoUrl } from "./syntax.ts";

/** The mailto scheme. RFC 1738 §3.5. */
export function mailto(): Scheme<MailtoUrl, MailboxResource> {
  return {
    name: "mailto",
    syntax: mailtoSyntax,
    plan: planMailto,
    access: (plan, context) => accessMailto(plan as MailtoPlan, context),
  };
}
